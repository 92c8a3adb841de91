import type { TargetedKeyboardEvent } from 'preact'

export type GridProps = {
  name: string
  /** The name of the first column: `Cohort`. */
  corner: string
  columns: readonly string[]
  rows: readonly { key: string; label: string; note?: string; cells: readonly GridCell[] }[]
}

/** Null: there is nothing at this place. `share`, 0 to 1, is how dark the cell is. */
export type GridCell = {
  text: string
  share: number
  title?: string
  /** Where a click leads, and what the link is called. */
  href?: string
  label?: string
  isChosen?: boolean
} | null

/**
 * Cells whose colour says how large they are, as a real table: retention, or hours of a week. Cells that are
 * links are one stop of the Tab key; arrow keys go from one to the next.
 */
export function Grid({ name, corner, columns, rows }: GridProps) {
  const stop = stopOf(rows)
  return (
    <div class="scroll" role="region" aria-label={name} tabIndex={0}>
      <table class="grid" aria-label={name} onKeyDown={moveByArrows}>
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map(column => (
              <th key={column} scope="col" class="number">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, note, cells }) => (
            <tr key={key}>
              <th scope="row">
                {label}
                {note !== undefined && <small>{note}</small>}
              </th>
              {columns.map((column, i) => {
                const cell = cells[i]
                if (!cell) return <td key={column} class="empty" />
                const { text, share, title, href, label: link, isChosen = false } = cell
                return (
                  <td
                    key={column}
                    class={`number${share > DARK_FROM ? ' dark' : ''}${isChosen ? ' chosen' : ''}`}
                    style={{ '--share': `${mixOf(share)}%` }}
                    title={title}
                  >
                    {href === undefined ? (
                      text
                    ) : (
                      <a
                        href={href}
                        aria-label={link}
                        aria-current={isChosen ? 'true' : undefined}
                        tabIndex={cell === stop ? 0 : -1}
                      >
                        {text}
                      </a>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Cells above it have the other colour of text. */
const DARK_FROM = 0.55

/**
 * The part of the colour in the background, percent. Between 55 and 88 neither colour of text can be read in
 * both themes, so no background lies there.
 */
function mixOf(share: number): number {
  const part = share > DARK_FROM ? 0.88 + ((share - DARK_FROM) / (1 - DARK_FROM)) * 0.12 : share
  return Math.round(part * 100)
}

/** The cell that the Tab key reaches: the chosen one, or the first. */
function stopOf(rows: GridProps['rows']): GridCell | undefined {
  const links = rows.flatMap(({ cells }) => cells.filter(cell => cell?.href !== undefined))
  return links.find(cell => cell?.isChosen) ?? links[0]
}

const ARROWS: Record<string, [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function moveByArrows(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const by = ARROWS[event.key]
  const cell = (event.target as Element).closest('td')
  const row = cell?.closest('tr')
  if (by === undefined || !cell || !row) return
  const next =
    event.currentTarget.tBodies[0]?.rows[row.sectionRowIndex + by[0]]?.cells[cell.cellIndex + by[1]]
  const link = next?.querySelector('a')
  if (!link) return
  event.preventDefault()
  link.focus()
}
