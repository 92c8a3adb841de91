/**
 * Commands as the SDK has them: a name, and the input of the request. `local/modules.mjs` gives them to
 * ElectroDB in place of the SDK.
 */
class Command {
  readonly input: object

  constructor(input: object) {
    this.input = input
  }
}

export class GetCommand extends Command {}
export class PutCommand extends Command {}
export class UpdateCommand extends Command {}
export class DeleteCommand extends Command {}
export class QueryCommand extends Command {}
export class ScanCommand extends Command {}
export class BatchGetCommand extends Command {}
export class BatchWriteCommand extends Command {}
