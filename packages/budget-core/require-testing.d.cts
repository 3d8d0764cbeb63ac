import testing = require("./dist/testing.js");

export = testing;
