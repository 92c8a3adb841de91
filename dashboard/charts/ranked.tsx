import type { ComponentChildren } from 'preact'

export type RankedRow = {
  key: string
  label: ComponentChildren
  /** The whole text, where `label` is cut. */
  title: string
  /** Where a click leads; absent: the row is no link. */
  href?: string | undefined
  /** As text, one for each column; the bar behind the label is `share`, 0 to 1. */
  cells: readonly ComponentChildren[]
  share: number
}

export type RankedProps = { name: string; columns: readonly string[]; rows: readonly RankedRow[] }

/** A ranked list with several numbers a row, as a real table. The first column is the label. */
export function Ranked({ name, columns: [first, ...others], rows }: RankedProps) {
  return (
    <div class="scroll tall" role="region" aria-label={name} tabIndex={0}>
      <table class="bars ranked" aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {others.map(column => (
              <th key={column} scope="col" class="number">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, title, href, cells, share }) => (
            <tr key={key}>
              <th scope="row" title={title}>
                <span class="bar" style={{ inlineSize: `${share * 100}%` }} aria-hidden="true" />
                {href === undefined ? (
                  <span class="label">{label}</span>
                ) : (
                  <a class="label" href={href}>
                    {label}
                  </a>
                )}
              </th>
              {cells.map((cell, i) => (
                <td key={others[i]} class="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
