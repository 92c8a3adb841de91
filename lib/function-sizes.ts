import type { FunctionName } from '#schemas/functions'

export type FunctionSize = {
  /** What the function does, for whoever finds it in the console. */
  description: string
  /** The processor grows with it: 1,769 MB are one core. */
  memoryMb: number
  timeoutSeconds: number
  /** Disk under /tmp. */
  diskMb?: number
}

/** An API of this kind waits 30 s for a function; one that takes longer should say so itself. */
const HTTP_SECONDS = 28

/** What each function is given, and why so much. */
export const functionSizes: Record<FunctionName, FunctionSize> = {
  // Quick to start and to unpack a batch; an append ends within 5 s.
  track: { description: 'Takes events: POST /track', memoryMb: 512, timeoutSeconds: 15 },
  // Waits for Athena: a statement is stopped after 25 s, and all of a request 1.5 s before its end.
  reports: { description: 'Answers reports from the lake', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  control: { description: 'Projects and accounts', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  site: { description: 'The tracker, the API document, unknown paths', memoryMb: 256, timeoutSeconds: 10 },
  // 100,000 rows of a claim are made within a few hundred MB and seconds; the rest is for re-reading a claimed range.
  lake: { description: 'Takes the stream into hot files', memoryMb: 1024, timeoutSeconds: 300 },
  // 3,008 MB is what a new account may have at most. A roll has the temporary files of a day's events on the disk.
  jobs: { description: 'Compacts the lake', memoryMb: 3008, timeoutSeconds: 900, diskMb: 10_240 },
  // Ends before its lease of 60 s does: no two ticks at a time.
  scheduler: {
    description: 'Ends epochs, sends jobs, deletes finer copies',
    memoryMb: 512,
    timeoutSeconds: 55,
  },
  owner: { description: "Makes the owner's account, key and project", memoryMb: 512, timeoutSeconds: 30 },
}

/** What DuckDB may take of a worker; the rest is for Node and for the file that is on its way to or from S3. */
export const COMPACTION_MEMORY_MB = 2048
