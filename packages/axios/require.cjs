// The same module for require(), so that one package never holds two; see require.d.cts.
module.exports = require("./dist/index.js");
