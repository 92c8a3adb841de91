import { go } from '#dashboard/navigate'
import { eventLabel } from '#dashboard/texts'
import { type Address, ownValue, withOwn } from '#dashboard/url'

type GoalProps = { address: Address /** Events to choose from. */; names: readonly string[] }

/**
 * Chooses what visitors should do: the own value `goal`, which each list of the view then has a number for.
 */
export function GoalChoice({ address, names }: GoalProps) {
  const goal = ownValue(address, 'goal') ?? ''
  return (
    <label class="choice">
      Goal{' '}
      <select
        value={goal}
        onChange={({ currentTarget: { value } }) =>
          go(withOwn(address, { goal: value === '' ? [] : [value] }))
        }
      >
        <option value="">none</option>
        {[...new Set([...(goal === '' ? [] : [goal]), ...names])].map(name => (
          <option key={name} value={name}>
            {eventLabel(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
