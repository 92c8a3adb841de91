import { useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { lettersOf } from '#dashboard/parts/letters'
import { slugOf } from '#dashboard/slug'
import { Members } from './members.tsx'

/** Creates a portfolio with its first projects. */
export function NewPortfolio({ names }: { names: readonly string[] }) {
  const act = useAct()
  const [name, setName] = useState('')
  /** Null: as the name says. */
  const [typed, setTyped] = useState<string | null>(null)
  const [chosen, choose] = useState<readonly string[]>([])
  const [canMove, setMove] = useState(false)
  const slug = typed ?? slugOf(name)
  const create = async (event: Event) => {
    event.preventDefault()
    const values = { slug, name, projects: [...chosen], allow_move: canMove }
    if ((await act.run(call('POST /portfolios', values), '/portfolios')) === null) return
    setName('')
    setTyped(null)
    choose([])
    setMove(false)
  }
  return (
    <form class="form" onSubmit={create}>
      <label>
        Name
        <input required maxLength={128} value={name} onInput={event => setName(event.currentTarget.value)} />
      </label>
      <label>
        Short name for addresses and commands
        <input
          required
          {...lettersOf('portfolio', 'Short name')}
          autocomplete="off"
          value={slug}
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <small>Small letters, digits and dashes. It stays.</small>
      </label>
      <Members names={names} chosen={chosen} choose={choose} canMove={canMove} setMove={setMove} />
      <FailureNote act={act} />
      <button type="submit" class="primary" disabled={act.isBusy}>
        Create the portfolio
      </button>
    </form>
  )
}
