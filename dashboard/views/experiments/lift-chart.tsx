import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { type Experiment, intervalText, liftText } from './experiment.ts'

/** The picture ends here: few users have intervals of thousands of percent. */
const [LOWEST, HIGHEST] = [-1, 3]

/** The lift of each variant over the baseline, with the interval that decides (docs/api/experiments.md). */
export function LiftChart({ data: { results } }: { data: Experiment }) {
  const [baseline, ...others] = results.variants.map(({ key }) => key)
  const rows = others.map(key => {
    const [low = 0, high = 0] = results.decision_interval[key] ?? []
    return { key, lift: results.lift[key] ?? 0, low, high }
  })
  const from = Math.max(LOWEST, Math.min(-0.1, ...rows.map(({ low }) => low)))
  const to = Math.min(HIGHEST, Math.max(0.1, ...rows.map(({ high }) => high)))
  const placeOf = (value: number) => ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * 100
  const name = `Lift over ${baseline}`
  return (
    <Panel title={name} wide>
      <ChartFrame
        name={name}
        table={{
          columns: ['variant', 'lift', 'low', 'high'],
          units: [undefined, '0 to 1', '0 to 1', '0 to 1'],
          rows: rows.map(({ key, lift, low, high }) => [key, lift, low, high]),
        }}
      >
        <div class="lifts">
          {rows.map(({ key, lift, low, high }) => (
            <div key={key} class="lift">
              <span class="label">{key}</span>
              <span class="axis" aria-hidden="true">
                <i class="zero" style={{ insetInlineStart: `${placeOf(0)}%` }} />
                <i
                  class={`interval ${low > 0 ? 'good' : high < 0 ? 'bad' : ''}`}
                  style={{
                    insetInlineStart: `${placeOf(low)}%`,
                    inlineSize: `${placeOf(high) - placeOf(low)}%`,
                  }}
                />
                <i class="point" style={{ insetInlineStart: `${placeOf(lift)}%` }} />
              </span>
              <span class="words">
                {liftText(lift)}
                <small>
                  {intervalText([low, high])}
                  {(low < from || high > to) && ', wider than the picture'}
                </small>
              </span>
            </div>
          ))}
        </div>
      </ChartFrame>
      <p class="cut">
        The line is no difference from {baseline}. Where an interval crosses it, the variant may be better or
        worse.
      </p>
    </Panel>
  )
}
