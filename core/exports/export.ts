import { randomBytes } from 'node:crypto'
import { sha256 } from '#core/secrets/tokens'
import { EXPORT_ID, EXPORT_PREFIX, type EXPORT_STATUSES, type ExportDataset } from '#schemas/exports'

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
  /** Runs since the last file of events. */
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

/** Hex digits of an id: eight of its project, eleven of its time, five random ones. */
const TIME_DIGITS = 11
const RANDOM_DIGITS = 5

/** With what the ids of all exports of a project begin. Another project may have the same. */
export function exportIdStart(projectId: string): string {
  return `exp_${sha256(projectId).slice(0, 8)}`
}

/**
 * A new id at a time, Unix ms. Those of a project begin alike and sort by time, so a list is one range of
 * keys, while the id alone finds an export. A project begins one at a time.
 */
export function newExportId(projectId: string, now: number): string {
  const time = now.toString(16).padStart(TIME_DIGITS, '0')
  return `${exportIdStart(projectId)}${time}${randomBytes(RANDOM_DIGITS).toString('hex').slice(RANDOM_DIGITS)}`
}

export function isExportId(text: string): boolean {
  return EXPORT_ID.test(text)
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
