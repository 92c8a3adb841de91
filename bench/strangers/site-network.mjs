import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import threads from 'node:worker_threads'

/**
 * NODE_OPTIONS gives this file to Node in the service that the bench attacks. It leads connections to the public addresses 9.9.… to the
 * bench's server of websites, so that the service analyses them by its usual way, with all its checks.
 */

const { connect } = Socket.prototype
Socket.prototype.connect = function (...sent) {
  // net.connect passes its normalized arguments as one list.
  const options = Array.isArray(sent[0]) ? sent[0][0] : sent[0]
  if (/^9\.9\.\d+\.\d+$/.test(options?.host ?? ''))
    Object.assign(options, { host: '127.0.0.1', port: Number(process.env.BENCH_SITE_PORT) })
  return connect.apply(this, sent)
}

// A thread with arguments of its own gets none from NODE_OPTIONS.
threads.Worker = class extends threads.Worker {
  constructor(file, options = {}) {
    super(file, {
      ...options,
      execArgv: [...(options.execArgv ?? process.execArgv), '--import', import.meta.url],
    })
  }
}
syncBuiltinESMExports()
