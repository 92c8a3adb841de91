'use strict'
// The emulator loads this file into every function with `npm run rehearse -- --patience N`. The deadlines that the
// functions set themselves, such as that of a statement, are then N times as long, as the timeouts of the functions are.

const timeout = AbortSignal.timeout.bind(AbortSignal)
const patience = Number(process.env.REHEARSAL_PATIENCE)
AbortSignal.timeout = ms => timeout(ms * patience)
