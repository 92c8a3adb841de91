import { titleOf } from '#dashboard/project-names'

type Props = {
  names: readonly string[]
  chosen: readonly string[]
  choose(chosen: readonly string[]): void
  canMove: boolean
  setMove(canMove: boolean): void
}

/** Chooses projects of a portfolio. A project of another one moves only when the reader says so. */
export function Members({ names, chosen, choose, canMove, setMove }: Props) {
  return (
    <>
      <fieldset class="choices">
        <legend>Projects</legend>
        {names.map(name => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                choose(checked ? [...chosen, name] : chosen.filter(each => each !== name))
              }
            />
            {titleOf(name)}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input type="checkbox" checked={canMove} onChange={event => setMove(event.currentTarget.checked)} />
        Take projects out of other portfolios
      </label>
    </>
  )
}
