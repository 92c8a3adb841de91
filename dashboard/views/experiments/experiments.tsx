import type { AnswersOf } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { agoLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { NewExperiment } from './new-experiment.tsx'
import { OneExperiment } from './one-experiment.tsx'
import { type ExperimentsRequests, withExperiment } from './requests.ts'
import { Status } from './status.tsx'

type Props = ViewContext & { answers: AnswersOf<ExperimentsRequests> }
type Experiment = Answer<'GET /experiments'>['experiments'][number]

/** Tests of texts: which there are, what one of them shows, and what its owner does with it. */
export function Experiments({ address, project, answers: { list, one, exposures, events } }: Props) {
  if (one !== undefined) {
    return (
      <Answered answer={one}>
        {data => (
          <OneExperiment key={data.id} address={address} data={data} answer={one} exposures={exposures} />
        )}
      </Answered>
    )
  }
  const mayWrite = address.area === 'account'
  const isNew = mayWrite && ownValue(address, 'new') !== undefined
  return (
    <>
      {isNew && (
        <NewExperiment
          key={project}
          address={address}
          project={project}
          events={events?.data?.events ?? []}
        />
      )}
      <Panel
        title="Experiments"
        actions={
          mayWrite &&
          !isNew && (
            <a class="back" href={hrefTo(withOwn(address, { new: ['1'] }))}>
              New experiment
            </a>
          )
        }
      >
        <Answered answer={list}>
          {({ experiments }) =>
            experiments.length === 0 ? (
              <Empty title="No experiment yet">
                An experiment shows two to four texts to different visitors, and tells which one brings more
                of them to a goal.
              </Empty>
            ) : (
              <ul class="records experiments" aria-label="Experiments">
                {experiments.map(each => (
                  <Row key={each.id} address={address} experiment={each} />
                ))}
              </ul>
            )
          }
        </Answered>
      </Panel>
    </>
  )
}

function Row({ address, experiment }: { address: Address; experiment: Experiment }) {
  const { name, status, goal_event, variants, winner, created_at } = experiment
  return (
    <li>
      <span>
        <a href={hrefTo(withExperiment(address, experiment))}>{name}</a>
        <small>
          {variants.map(({ key, weight }) => `${key} ${weight} %`).join(', ')} · goal {goal_event} · began{' '}
          {agoLabel(Date.parse(created_at))}
        </small>
      </span>
      <span class="state">
        <Status status={status} />
        {winner !== null && <small>won by {winner}</small>}
      </span>
    </li>
  )
}
