import { type Block, heading } from './blocks.ts'

type Dated = { from: string; to: string; tz?: string | undefined }

/** `demo, 2026-11-16 to 2026-11-23`. */
export function reportHeading(subject: string, period?: Dated): Block {
  const zone = period?.tz === undefined ? '' : ` (${period.tz})`
  return heading(period === undefined ? subject : `${subject}, ${period.from} to ${period.to}${zone}`)
}
