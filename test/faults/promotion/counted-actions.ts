import { readFileSync, writeFileSync } from 'node:fs'

/**
 * The actions of a program that a test kills, and the file STACK that stands for what a stack was told. With
 * KILL_AT the program is killed with SIGKILL before its action of that number. It writes how many it made to
 * the file ACTIONS.
 */

const { STACK = '', KILL_AT, ACTIONS = '' } = process.env
let actions = 0

/** Counts an action. */
export function act(): void {
  actions += 1
  if (actions === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
}

/** Counts each call of a method. */
export function counted<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        act()
        return value.apply(object, args)
      }
    },
  })
}

export function noteActions(): void {
  writeFileSync(ACTIONS, String(actions))
}

/** What a stack knows, beside its table and its S3 bucket. `calls`: what it was told. */
export type StackFile = { emailKey: string; calls: string[]; isStopped?: boolean }

export function readStack(): StackFile {
  return JSON.parse(readFileSync(STACK, 'utf8')) as StackFile
}

export function changeStack(call: string, changes: Partial<StackFile> = {}): void {
  const stack = readStack()
  writeFileSync(STACK, JSON.stringify({ ...stack, ...changes, calls: [...stack.calls, call] }))
}
