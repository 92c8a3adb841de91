'use strict'
// For the commands of operators that wait until functions of AWS have ended. Here nothing runs for minutes, so no wait
// takes longer than two seconds.

const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers/promises')

const LONGEST_WAIT_MS = 2_000
const sleep = timers.setTimeout
timers.setTimeout = (ms, ...rest) => sleep(Math.min(ms, LONGEST_WAIT_MS), ...rest)
syncBuiltinESMExports()
