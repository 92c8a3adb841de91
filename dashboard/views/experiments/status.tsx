import type { Answer } from '#dashboard/api'

type Experiment = Answer<'GET /experiments'>['experiments'][number]

const STATUS_WORDS: Record<Experiment['status'], string> = {
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
}

/** Where an experiment stands, as a word in a frame. */
export function Status({ status }: Pick<Experiment, 'status'>) {
  return <span class={`status ${status}`}>{STATUS_WORDS[status]}</span>
}
