import type { StateTable } from '#core/state/state-table'

export class ProcessCrashedError extends Error {
  constructor() {
    super('the process has crashed')
    this.name = 'ProcessCrashedError'
  }
}

/**
 * Returns the state table of a process that crashes after `writes` writes: every later request is rejected.
 */
export function crashAfterWrites({ client, table }: StateTable, writes: number): StateTable {
  let writesLeft = writes
  const send = client.send.bind(client) as (command: object, ...rest: unknown[]) => unknown
  const crashing = new Proxy(client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return (command: object, ...rest: unknown[]) => {
        if (/^(Put|Update|Delete|BatchWrite)/.test(command.constructor.name)) writesLeft -= 1
        return writesLeft < 0 ? Promise.reject(new ProcessCrashedError()) : send(command, ...rest)
      }
    },
  })
  return { client: crashing, table }
}
