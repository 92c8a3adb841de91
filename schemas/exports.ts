import * as z from 'zod'
import { moment, nameList, nextBefore, otherRangeNames, project, wholeNumber } from './fields.ts'

/** Exports of events (docs/api/exports.md). */

/** The parts of an export, in the order in which they are made: tables, and files of JSON. */
export const EXPORT_DATASETS = ['events', 'sessions', 'people', 'views', 'context'] as const
export type ExportDataset = (typeof EXPORT_DATASETS)[number]
/** Those that are one file of JSON, made of the state alone. */
export type JsonDataset = 'views' | 'context'
/** Those that follow from the events. */
export type DerivedTable = Exclude<ExportDataset, 'events' | JsonDataset>

export function isJsonDataset(dataset: ExportDataset): dataset is JsonDataset {
  return dataset === 'views' || dataset === 'context'
}

export const EXPORT_STATUSES = ['queued', 'running', 'done', 'failed'] as const

export const EXPORT_LIMITS = {
  /** Events of one export. */
  events: 20_000_000,
  /** Bytes of all files of one export. */
  bytes: 4_000_000_000,
  /** Files of one export: its item in the state names each. */
  files: 1_000,
  /** Rows of one file. */
  file_rows: 100_000,
  /** Days from the first event of one export to the last one: its item counts each, fifty years. */
  days: 18_263,
  /** Days for which its files are kept after it was asked for. */
  kept_days: 7,
} as const

export const EXPORT_ID = /^exp_[0-9a-f]{24}$/

/**
 * The prefix of all exports in the bucket, or in their folder of one machine. No read of the lake lists it.
 */
export const EXPORT_PREFIX = 'exports/'

export const createExport = z.object({
  project,
  since: moment('since').meta({
    description: 'First date in UTC: `7d`, or `2026-11-01`. Default: all that is kept',
  }),
  until: moment('until').meta({ description: 'Last date in UTC, inclusive. Default: today' }),
  ...otherRangeNames,
  datasets: nameList('datasets', {
    description: `Some of ${EXPORT_DATASETS.join(', ')}, separated by commas. Default: all`,
    allowed: EXPORT_DATASETS,
  }),
})

export const listExportsQuery = z.object({
  project,
  limit: wholeNumber('limit', 1, 100).default(100).meta({ description: 'The largest number of exports' }),
  before: z
    .string()
    .regex(EXPORT_ID, 'Parameter `before` takes the `next_before` of the page before.')
    .optional()
    .meta({ description: 'For the next page: `next_before` of the page before' }),
})

const exportFile = z.object({
  name: z.string().meta({ example: 'events-0001.parquet' }),
  dataset: z.enum(EXPORT_DATASETS),
  rows: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  url: z.string().meta({ description: 'Where to download it' }),
  url_expires_at: z
    .int()
    .nullable()
    .meta({ description: 'Unix ms. Null: `url` needs your credential, and works as long as the export' }),
})

const common = {
  id: z.string().meta({ example: 'exp_0123456789abcdef01234567' }),
  project: z.string(),
  project_id: z.string(),
  status: z.enum(EXPORT_STATUSES),
  message: z.string().nullable().meta({ description: 'Why it failed, and what to do' }),
  period: z
    .object({ from: z.string(), to: z.string() })
    .nullable()
    .meta({ description: 'The first and the last day with events that it counts, in UTC. Null: none yet' }),
  datasets: z.array(z.enum(EXPORT_DATASETS)),
  events: z.int().meta({ description: 'Events so far' }),
  bytes: z.int().meta({ description: 'Of all files so far' }),
  created_at: z.int().meta({ description: 'Unix ms' }),
  finished_at: z.int().nullable().meta({ description: 'Unix ms' }),
  expires_at: z.int().meta({ description: 'Unix ms: then its files are deleted' }),
}

export const exportState = z
  .object({
    ...common,
    files: z.array(exportFile).meta({ description: 'Empty until it is done' }),
    days: z
      .array(z.object({ date: z.string(), events: z.int() }))
      .meta({ description: 'The events of each day, which the service counts too. Empty until it is done' }),
    erasures_since: z.string().meta({
      description: 'The `since` of GET /erasures with which a copy finds later erasures',
    }),
    caveats: z.array(z.string()),
  })
  .meta({ id: 'Export' })

export const exportList = z
  .object({
    project: z.string(),
    exports: z.array(z.object(common)).meta({ description: 'Newest first, those that are kept' }),
    next_before: nextBefore,
  })
  .meta({ id: 'ExportList' })

export const deletedExport = z
  .object({ ok: z.literal(true), deleted: z.string() })
  .meta({ id: 'DeletedExport' })
