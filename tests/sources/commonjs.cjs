'use strict';
const util = require('util');
exports.one = exports.uno = function () { return two(); };
exports.flag = true;
exports.alias = two;
module.exports.three = class {};
module.exports = { two, four: 4, five() {}, six: () => 6, 'seven-eight': two };
function two() {}
function Old() {}
Old.prototype.method = function () { this.other(); };
Old.make = () => new Old();
Old.constant = 1;
module.exports = Old;
