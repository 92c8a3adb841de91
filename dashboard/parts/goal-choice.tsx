import { useId } from 'preact/hooks'
import { call } from '#dashboard/api'
import { goalLabel, isPage, MAX_PATTERN_CHARS } from '#dashboard/goal'
import { go } from '#dashboard/navigate'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import { useOfferedPaths, valuesOfPaths } from './offered-paths.ts'

type GoalProps = { address: Address /** Events to choose from. */; names: readonly string[] }

/**
 * Chooses what visitors should do: the own value `goal`, which each list of the view then has a number for.
 */
export function GoalChoice({ address, names }: GoalProps) {
  const goal = ownValue(address, 'goal') ?? ''
  return (
    <label class="choice">
      Goal{' '}
      <select value={goal} onChange={({ currentTarget: { value } }) => choose(address, value)}>
        <option value="">none</option>
        {[...new Set([...(goal === '' ? [] : [goal]), ...names])].map(name => (
          <option key={name} value={name}>
            {goalLabel(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The same for a page, or for pages of one pattern. */
export function PageGoal({ address, project }: { address: Address; project: string }) {
  const goal = ownValue(address, 'goal') ?? ''
  const { offered, ask } = useOfferedPaths(call('GET /breakdown', valuesOfPaths(address, project)))
  const listId = useId()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('page') ?? '').trim()
    // A path begins with a slash, which readers leave out.
    if (text !== '') choose(address, isPage(text) ? text : `/${text}`)
  }
  return (
    <form class="choice" onSubmit={submit}>
      <label>
        or page{' '}
        <input
          key={goal}
          name="page"
          placeholder="/thanks or /docs/**"
          title="* stands for any text without a slash, ** for any text"
          maxLength={MAX_PATTERN_CHARS}
          defaultValue={isPage(goal) ? goal : ''}
          list={listId}
          onFocus={ask}
        />
      </label>{' '}
      <button type="submit" class="plain">
        Set
      </button>
      <datalist id={listId}>
        {offered.map(each => (
          <option key={each.value} {...each} />
        ))}
      </datalist>
    </form>
  )
}

function choose(address: Address, goal: string): void {
  go(withOwn(address, { goal: goal === '' ? [] : [goal] }))
}
