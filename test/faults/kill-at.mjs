import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Loaded before a program (`--import`): kills it with SIGKILL at its change number KILL_AT of the disk, before the change is made. Without
 * KILL_AT it writes the number of changes to the file KILL_COUNT when the program ends. Streams write through the same functions.
 */
const { KILL_AT, KILL_COUNT } = process.env
const realWrite = fs.writeFileSync
let changes = 0

function change() {
  changes += 1
  if (changes === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
}

function watch(module, names) {
  for (const name of names) {
    const real = module[name]
    module[name] = (...args) => {
      change()
      return real(...args)
    }
  }
}

watch(fs, ['mkdirSync', 'renameSync', 'rmSync', 'writeSync', 'fsyncSync', 'write', 'fsync'])
watch(fs.promises, ['link', 'rename', 'rm', 'utimes'])
syncBuiltinESMExports()
if (KILL_COUNT !== undefined) process.on('exit', () => realWrite(KILL_COUNT, String(changes)))
