import type { StateTable } from '#core/state/state-table'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from './commands.ts'
import { unsupported } from './item-error.ts'
import type { Requests } from './requests.ts'

/**
 * The client of the state on one machine. As in the SDK's, every method sends a command, so `send` sees all
 * requests. ElectroDB sends commands itself.
 */
export function createClient(requests: Requests): StateTable['client'] {
  const client = {
    async send(command: { input: object }) {
      const name = command.constructor.name.replace(/Command$/, '') as keyof Requests
      if (requests[name] === undefined) throw unsupported(`the command ${command.constructor.name}`)
      return requests[name]({ ...command.input })
    },
    get(input: object) {
      return this.send(new GetCommand(input))
    },
    put(input: object) {
      return this.send(new PutCommand(input))
    },
    update(input: object) {
      return this.send(new UpdateCommand(input))
    },
    delete(input: object) {
      return this.send(new DeleteCommand(input))
    },
    query(input: object) {
      return this.send(new QueryCommand(input))
    },
    scan(input: object) {
      return this.send(new ScanCommand(input))
    },
    batchGet(input: object) {
      return this.send(new BatchGetCommand(input))
    },
    batchWrite(input: object) {
      return this.send(new BatchWriteCommand(input))
    },
  }
  return client as unknown as StateTable['client']
}
