import { EXPORT_PREFIX, type EXPORT_STATUSES, type ExportDataset } from '#schemas/exports'

export type ExportKey = { account_id: string; id: string }

/** A file of an export. `object`: the end of its key, which no other run of the export writes. */
export type ExportFile = {
  name: string
  object: string
  dataset: ExportDataset
  rows: number
  bytes: number
  sha256: string
}

/** Events by UTC day. */
export type DayCounts = Readonly<Record<string, number>>

/** An export as it is kept. Times are Unix ms. */
export type Export = ExportKey & {
  project_id: string
  status: (typeof EXPORT_STATUSES)[number]
  datasets: ExportDataset[]
  /** Events with from <= timestamp < to. */
  from: number
  to: number
  created_at: number
  finished_at?: number | undefined
  /** Why it failed, for the caller. */
  reason?: string | undefined
  /** The run that may write; each new run takes it from the one before. */
  run?: string | undefined
  /** Until then the run is taken to be alive. */
  leased_until: number
  /** Runs since the last file. */
  attempts: number
  /** The events after this position are not in a file yet: the UTC midnight of its day, and a cursor. */
  next?: { day: number; before?: string | undefined } | undefined
  files: ExportFile[]
  /** What the service counted when the export began; null before. */
  counted: DayCounts | null
  /** The events of the files by day; null until it is done. */
  days: DayCounts | null
}

/** Goes on with an export. `takesOver`: no other run can be alive. */
export type ExportJob = ExportKey & { kind: 'export'; takesOver?: boolean | undefined }

export function isEnded({ status }: Pick<Export, 'status'>): boolean {
  return status === 'done' || status === 'failed'
}

const ID = /^exp_[0-9a-f]{24}$/

export function isExportId(text: string): boolean {
  return ID.test(text)
}

/** Where the files of an export are, in the bucket or folder of exports. */
export function exportPrefix({ account_id, id }: ExportKey): string {
  return `${EXPORT_PREFIX}${account_id}/${id}/`
}

export function fileKey(key: ExportKey, { object }: Pick<ExportFile, 'object'>): string {
  return exportPrefix(key) + object
}

/** The export that an object belongs to; null for an object of another name. */
export function parseFileKey(key: string): ExportKey | null {
  const [account_id, id = '', name, ...more] = key.slice(EXPORT_PREFIX.length).split('/')
  const isOwn = key.startsWith(EXPORT_PREFIX) && account_id && isExportId(id) && name && more.length === 0
  return isOwn ? { account_id, id } : null
}
