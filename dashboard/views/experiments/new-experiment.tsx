import { useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { go, hrefTo } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { lettersOf } from '#dashboard/parts/letters'
import { Panel } from '#dashboard/parts/panel.tsx'
import { type Address, ownValue } from '#dashboard/url'
import { DEFAULT_SMALLEST_EFFECT } from '#schemas/smallest-effect'
import { withExperiment } from './requests.ts'

type Props = { address: Address; project: string; events: readonly { event: string }[] }

/** Text of the two fields of a variant. */
type Variant = { key: string; weight: string }

const MAX_VARIANTS = 4
/** Goals that the field suggests. */
const MAX_GOALS = 200

/**
 * The form of a new experiment. The own values `name`, `goal` and `variant` fill it in, as an analysis does.
 */
export function NewExperiment({ address, project, events }: Props) {
  const act = useAct()
  const [name, setName] = useState(ownValue(address, 'name') ?? '')
  const [goal, setGoal] = useState(ownValue(address, 'goal') ?? '')
  const [effect, setEffect] = useState('')
  const [variants, setVariants] = useState<readonly Variant[]>(() => {
    const keys = (address.own.variant ?? []).slice(0, MAX_VARIANTS)
    return (keys.length < 2 ? ['control', ''] : keys).map(key => ({ key, weight: '' }))
  })
  const set = (at: number, change: Partial<Variant>) =>
    setVariants(variants.map((each, i) => (i === at ? { ...each, ...change } : each)))
  const create = async (event: Event) => {
    event.preventDefault()
    const hasWeights = variants.some(({ weight }) => weight !== '')
    const made = await act.run(
      call('POST /experiments', {
        project,
        name,
        goal_event: goal,
        variants: variants.map(({ key }) => key),
        ...(hasWeights && { weights: variants.map(({ weight }) => Number(weight)) }),
        ...(effect !== '' && { smallest_effect: Number(effect) / 100 }),
      }),
      '/experiments',
    )
    if (made !== null) go(withExperiment(address, made), true)
  }
  return (
    <Panel
      title="New experiment"
      actions={
        <a class="back" href={hrefTo({ ...address, own: {} })}>
          All experiments
        </a>
      }
    >
      <form class="form new-experiment" onSubmit={create}>
        <label>
          Name
          <input
            value={name}
            required
            {...lettersOf('experiment', 'Name of the experiment')}
            autocomplete="off"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <small>Letters, digits, _ and -. The page uses it.</small>
        </label>
        <label>
          Goal
          <input
            value={goal}
            required
            maxLength={256}
            list="goals"
            autocomplete="off"
            onInput={({ currentTarget }) => setGoal(currentTarget.value)}
          />
          <small>The event that counts as a conversion.</small>
        </label>
        <datalist id="goals">
          {events.slice(0, MAX_GOALS).map(({ event }) => (
            <option key={event} value={event} />
          ))}
        </datalist>
        <fieldset>
          <legend>Variants</legend>
          {variants.map(({ key, weight }, i) => (
            <div class="variant" key={i}>
              <input
                aria-label={i === 0 ? 'Baseline' : `Variant ${i + 1}`}
                value={key}
                required
                {...lettersOf('experiment', i === 0 ? 'Baseline' : `Variant ${i + 1}`)}
                placeholder={i === 0 ? 'the text of now' : 'start_free'}
                autocomplete="off"
                onInput={({ currentTarget }) => set(i, { key: currentTarget.value })}
              />
              <input
                aria-label={`Percent of ${key || `variant ${i + 1}`}`}
                value={weight}
                inputMode="numeric"
                {...lettersOf('percent', `Percent of ${key || `variant ${i + 1}`}`)}
                placeholder="equal"
                onInput={({ currentTarget }) => set(i, { weight: currentTarget.value })}
              />
              <span aria-hidden="true">%</span>
              {i >= 2 && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${key || `variant ${i + 1}`}`}
                  onClick={() => setVariants(variants.filter((_, at) => at !== i))}
                >
                  Remove
                </button>
              )}
            </div>
          ))}
          {variants.length < MAX_VARIANTS && (
            <button
              type="button"
              class="quiet"
              onClick={() => setVariants([...variants, { key: '', weight: '' }])}
            >
              Add a variant
            </button>
          )}
          <small>The first one is the baseline. Without percents all have equal shares.</small>
        </fieldset>
        <label>
          Smallest lift of interest, %
          <input
            value={effect}
            inputMode="numeric"
            {...lettersOf('percent', 'Smallest effect')}
            placeholder={String(DEFAULT_SMALLEST_EFFECT * 100)}
            autocomplete="off"
            onInput={({ currentTarget }) => setEffect(currentTarget.value)}
          />
          <small>A smaller one needs more visitors. Nothing is decided before they have come.</small>
        </label>
        <FailureNote act={act} />
        <button type="submit" class="primary" disabled={act.isBusy}>
          Create
        </button>
      </form>
    </Panel>
  )
}
