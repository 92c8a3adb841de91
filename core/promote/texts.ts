/** What the operator reads of a target: what is wrong, then what to do; or what was done. */
export type PromotionTexts = {
  /** Another source has the target. */
  isOfAnother: string
  /** The target is not empty. */
  hasOwners: string
  hasObject(key: string): string
  hasKey: string
  isStopped: string
  /** `count`: items and objects that are not as in the source. */
  differs(count: number): string
  /** `lost`: kinds and numbers of what is lost. */
  misses(lost: string): string
  runs: string
}

/** By the kind of the target: a stack gets what a folder has, and a folder gets what a stack has. */
export const promotionTexts: Record<'stack' | 'folder', PromotionTexts> = {
  stack: {
    isOfAnother:
      'Another data folder is promoted into this stack, or was. Name that folder with --data, or a new stack with --stack.',
    hasOwners:
      'The stack has accounts or projects, and a promotion replaces everything. Deploy a new stack, and promote into it before anybody signs in there.',
    hasObject: key =>
      `The bucket of the stack has data (${key}), and a promotion replaces everything. Deploy a new stack, and promote into it.`,
    hasKey: 'The stack has the key of the e-mail index.',
    isStopped: 'Everything that writes in the stack has stopped.',
    differs: count =>
      `${count} items or objects of the stack are not as in the folder: something else has written to the stack. Run the command again.`,
    misses: lost =>
      `The stack misses data that was copied (${lost}). Do not point the name at it. Look at the log of the function restore.`,
    runs: 'Table and lake agree, and the stack runs.',
  },
  folder: {
    isOfAnother:
      'Another stack is moved into this folder, or was. Name that stack with --stack, or a new folder with --data.',
    hasOwners:
      'The folder has accounts or projects, and the move replaces everything. Name a new folder with --data.',
    hasObject: key =>
      `The lake of the folder has data (${key}), and the move replaces everything. Name a new folder with --data.`,
    hasKey: 'The folder has the key of the e-mail index.',
    isStopped: 'No service starts on the folder until everything is there.',
    differs: count =>
      `${count} items or objects of the folder are not as in the stack: something has written to the stack. Run the command again.`,
    misses: lost =>
      `The folder misses data that was copied (${lost}). No service starts on it. The lines of the log above say which data.`,
    runs: 'State and lake agree, and a service can be started on the folder.',
  },
}
