// What cli-table3 measures text with, in the bundle.
module.exports = require('./width').widthOf;
