import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { CommonNotes } from './common-notes.tsx'
import { NewPortfolio } from './new-portfolio.tsx'
import { OnePortfolio } from './one-portfolio.tsx'

type Props = {
  answers: {
    portfolios: Known<Answer<'GET /portfolios'>>
    projects: Known<Answer<'GET /projects'>>
    context: Known<Answer<'GET /portfolio-context'>>
  }
}

/** Projects that share their people: a site and its shop are one person's visit. */
export function Portfolios({ answers: { portfolios, projects, context } }: Props) {
  const owned = projects.data?.projects ?? []
  const names = owned.map(({ name }) => name)
  return (
    <Answered answer={portfolios}>
      {({ portfolios: all }) => (
        <>
          {all.length === 0 && (
            <Empty title="No portfolio yet">
              A portfolio joins projects whose visitors are the same people, such as a site and its shop. A
              project is in one portfolio at most.
            </Empty>
          )}
          <div class="panels settings">
            {all.map(portfolio => (
              <OnePortfolio key={portfolio.id} portfolio={portfolio} names={names} />
            ))}
            <Panel title="New portfolio">
              <NewPortfolio names={names} />
            </Panel>
            <CommonNotes answer={context} projects={owned} />
          </div>
        </>
      )}
    </Answered>
  )
}
