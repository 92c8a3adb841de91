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
  /** What to do next, when a run is over. */
  endings: Record<'ahead' | 'done' | 'unchanged', readonly string[]>
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
    endings: {
      ahead: [
        'The service runs, so this copy is of now, and the stack waits for the rest: it takes events and keeps them for the last copy; all else there gets 503.',
        'Now point the name of the service to the stack, so that no event is lost. When nothing comes to this machine any more, stop the service here, and run the same command again within a day.',
      ],
      done: [
        'The stack has everything and runs. Keys, tokens and share links work there as they did here, once the name of the service leads to the stack.',
        'No service starts on this folder any more. Delete it when you have looked at the stack for some days.',
      ],
      unchanged: ['This folder is promoted already. Nothing was changed.'],
    },
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
    endings: {
      ahead: [
        'The stack runs, so this copy is of now. Run the command again as often as you like.',
        'For the last copy run it with --last: it stops the stack, which from then on takes events only, until the service runs here.',
      ],
      done: [
        'The folder has everything. Start the service on it, and point its name to this machine.',
        'The stack still takes events, and keeps them for a day (retentionHours). When nothing comes to it any more, run the same command again: it says whether events wait, and takes them. Then delete the stack.',
      ],
      unchanged: ['The folder has everything that the stack has. Nothing was changed.'],
    },
  },
}
