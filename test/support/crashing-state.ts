import type { StateTable } from '#core/state-table'

/** What a caller sees of a process that has died: nothing of it is written any more. */
export class ProcessCrashedError extends Error {
  constructor() {
    super('the process has died')
    this.name = 'Crashed'
  }
}

/** The state as a process sees it that dies after so many writes: every later request fails with Crashed. */
export function crashAfterWrites({ client, table }: StateTable, writes: number): StateTable {
  let left = writes
  const send = client.send.bind(client) as (command: object, ...rest: unknown[]) => unknown
  const crashing = new Proxy(client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return (command: object, ...rest: unknown[]) => {
        if (/^(Put|Update|Delete)/.test(command.constructor.name)) left -= 1
        return left < 0 ? Promise.reject(new ProcessCrashedError()) : send(command, ...rest)
      }
    },
  })
  return { client: crashing, table }
}
