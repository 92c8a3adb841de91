import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { DataTable } from '#dashboard/charts/frame.tsx'
import { FunnelChart } from '#dashboard/charts/funnel.tsx'
import { Grid } from '#dashboard/charts/grid.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { Tree } from '#dashboard/charts/tree.tsx'
import { formatted, shortened } from '#dashboard/format'
import { type McpChart, type McpTable, WHOLE_TABLES } from '#schemas/mcp-tables'
import type { ToolResult } from './host.ts'
import { cohortsOf, seriesOf, shownCell, stepsOf, treeOf, wordsOf } from './tables.ts'

export type Shown = { state: 'waiting' } | { state: 'cancelled' } | { state: 'answered'; result: ToolResult }

/** `structuredContent` of a tool (docs/api/mcp.md). */
type Data = {
  summary: string
  counted: string
  tables?: readonly McpTable[]
  warnings?: readonly string[]
  cut?: readonly string[]
}

/** An answer of a tool: the sentence, the charts, and the numbers behind them. */
export function Report({ shown }: { shown: Shown }) {
  if (shown.state === 'waiting') return <p aria-busy="true">The answer is on its way.</p>
  if (shown.state === 'cancelled') return <p>The call was cancelled.</p>
  const { isError, content = [], structuredContent, _meta = {} } = shown.result
  const data = structuredContent as Data | undefined
  if (isError || typeof data?.summary !== 'string') {
    return <p class="plain">{content.map(({ text = '' }) => text).join('\n')}</p>
  }
  const { summary, counted, tables = [], warnings = [], cut = [] } = data
  const whole = (_meta[WHOLE_TABLES] ?? []) as readonly McpTable[]
  const isWhole = ({ name }: McpTable) => whole.some(table => table.name === name)
  const all = tables.map(table => whole.find(({ name }) => name === table.name) ?? table)
  const drawn = [...new Set(all.flatMap(({ chart, rows }) => (rows.length > 0 && chart) || []))]
  const left = cut.filter(
    line => !all.some(table => isWhole(table) && line.startsWith(`Cut: ${table.name} `)),
  )
  return (
    <>
      <h1>{summary}</h1>
      {drawn.map(chart => (
        <Chart key={chart} chart={chart} tables={all.filter(table => table.chart === chart)} />
      ))}
      {all.map((table, i) => (
        <Numbers key={table.name} table={table} isOpen={drawn.length === 0 && i === 0} />
      ))}
      <div class="notes">
        <span>Counted: {counted}</span>
        {[...warnings, ...left].map(note => (
          <span key={note}>{note}</span>
        ))}
      </div>
    </>
  )
}

const DRAW: Record<McpChart, (tables: readonly McpTable[]) => ComponentChildren> = {
  series: ([table]) => table && <Series table={table} />,
  funnel: ([table]) =>
    table && <FunnelChart name="Funnel" steps={stepsOf(table)} count={formatted} rate={asRate} />,
  retention: ([table]) => table && <Grid name="Retention" corner="Cohort" {...cohortsOf(table)} />,
  paths: tables => <Tree name="Paths" nodes={treeOf(tables)} count={formatted} />,
}

function Chart({ chart, tables }: { chart: McpChart; tables: readonly McpTable[] }) {
  // A service that is newer than this page, which a host may have kept, could name another chart.
  return Object.hasOwn(DRAW, chart) ? <figure>{DRAW[chart](tables)}</figure> : null
}

/** One line at a time: people and events have different scales. */
function Series({ table }: { table: McpTable }) {
  const { labels, lines } = seriesOf(table)
  const [chosen, choose] = useState(0)
  const line = lines[chosen] ?? lines[0]
  if (line === undefined) return null
  const name = wordsOf(line.name)
  return (
    <>
      {lines.length > 1 && (
        <div class="choices">
          {lines.map((each, i) => (
            <button
              key={each.name}
              type="button"
              class="quiet"
              aria-pressed={each === line}
              onClick={() => choose(i)}
            >
              {wordsOf(each.name)}
            </button>
          ))}
        </div>
      )}
      <SeriesChart
        name={name}
        labels={labels}
        lines={[{ name, values: line.values }]}
        format={value => shortened(value)}
        height={220}
      />
    </>
  )
}

function Numbers({ table: { name, columns, rows }, isOpen }: { table: McpTable; isOpen: boolean }) {
  if (rows.length === 0) return null
  const data = { columns: columns.map(wordsOf), rows: rows.map(row => row.map(shownCell)) }
  return (
    <details open={isOpen}>
      <summary>
        {wordsOf(name)}: {formatted(rows.length)} {rows.length === 1 ? 'row' : 'rows'}
      </summary>
      <div class="scroll" role="region" aria-label={wordsOf(name)} tabIndex={0}>
        <DataTable name={wordsOf(name)} table={data} />
      </div>
    </details>
  )
}

function asRate(value: number): string {
  return formatted(value, 'rate')
}
