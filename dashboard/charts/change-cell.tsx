import { Change } from '#dashboard/parts/change.tsx'

/**
 * The change of a row against the compared dates, as a part of what was before. `none`: why there is no
 * number, in a word. `isGood`: whether a growth is; null for neither. Absent: it is.
 */
export type ChangeCell = { change: number | null; none?: string; title: string; isGood?: boolean | null }

export function ShownChange({ change, none = '–', title, isGood = true }: ChangeCell) {
  if (change === null)
    return (
      <span class="change none" title={title}>
        {none}
      </span>
    )
  return <Change change={change} isGood={isGood} title={title} />
}
