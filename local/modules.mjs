import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/**
 * How the process and its threads begin. `npm start` and thread-options.ts give this file to Node by `--import`, so that it runs before
 * any module of the service. It is JavaScript, because Node would load its TypeScript compiler for it.
 */

// The C library of Linux keeps freed memory for each thread apart, up to 40 MB of an idle service. It reads the variable only when a process
// begins, so the process begins again. All else of it stays, also its number. Sockets of a supervisor would not stay: its unit sets the variable.
const { env, execPath, execArgv, argv, platform } = process
if (
  isMainThread &&
  platform === 'linux' &&
  env.MALLOC_ARENA_MAX === undefined &&
  env.LISTEN_FDS === undefined
) {
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '2' })
}

// Node keeps what it has compiled. A thread then starts without the compiler of TypeScript, which takes 20 MB, and in a tenth of the time.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

// ElectroDB loads the AWS SDK for the classes of its commands alone: 10 MB of a thread. Ours have the same names.
const commands = new URL('./state/commands.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@aws-sdk/lib-dynamodb'
      ? { url: commands, shortCircuit: true }
      : nextResolve(specifier, context),
})
