// The types of the other build, not a copy: a policy is told by a symbol, and two symbols would not fit.
import core = require("./dist/index.js");

export = core;
