import { type Command, callCommand, type Flag, NAME, parametersOf } from '#cli/command'
import { usage } from '#cli/errors'
import { EXPERIMENT, experimentFacts } from './experiments.ts'

const CREATE: readonly Flag[] = [
  {
    flags: '--name <name>',
    parameter: 'name',
    required: true,
    help: 'unique in the project; the page uses it',
  },
  {
    flags: '--variants <keys>',
    parameter: 'variants',
    as: 'list',
    required: true,
    help: '2 to 4 keys: control,start_free; the first one is the baseline',
  },
  {
    flags: '--goal <event>',
    parameter: 'goal_event',
    required: true,
    help: 'the event that counts as a conversion',
  },
  { flags: '--weights <percents>', as: 'list', help: 'share of each variant: 50,50 (default: equal)' },
  {
    flags: '--smallest-effect <lift>',
    parameter: 'smallest_effect',
    as: 'number',
    help: 'the smallest lift of interest: 0.1 is 10 %; the planned size follows (default: 0.2)',
  },
  {
    flags: '--planned-size <visitors>',
    parameter: 'planned_size',
    as: 'whole',
    help: 'visitors that every variant needs before a decision',
  },
]

const createExperiment = callCommand<'POST /experiments'>({
  name: 'experiments create',
  group: 'Experiments',
  effect: 'changes',
  args: [NAME],
  flags: CREATE,
  summary: 'Creates an experiment, which is active at once',
  example: 'experiments create shop --name cta --variants control,free --goal signup --dry-run',
  call: input => ({
    endpoint: 'POST /experiments',
    body: {
      project: input.args.NAME,
      ...parametersOf(CREATE, input),
      weights: weightsOf(input.options.weights),
    },
  }),
  print: answer => [experimentFacts(answer)],
})

function weightsOf(weights: unknown): number[] | undefined {
  if (weights === undefined) return undefined
  const numbers = (weights as string[]).map(Number)
  if (numbers.every(Number.isInteger)) return numbers
  throw usage('A weight is no whole number.', 'Write whole numbers with commas between them: --weights 50,50')
}

function statusChange(verb: string, status: string, summary: string, flags: readonly Flag[] = []): Command {
  return callCommand<'PATCH /experiments/{id}'>({
    name: `experiments ${verb}`,
    group: 'Experiments',
    effect: 'changes',
    args: [EXPERIMENT],
    flags,
    summary,
    example: `experiments ${verb} exp_0123456789abcdef --dry-run`,
    call: input => ({
      endpoint: 'PATCH /experiments/{id}',
      path: { id: input.args.ID as string },
      body: { status, ...parametersOf(flags, input) },
    }),
    print: answer => [experimentFacts(answer)],
  })
}

const deleteExperiment = callCommand<'DELETE /experiments/{id}'>({
  name: 'experiments delete',
  group: 'Experiments',
  effect: 'deletes',
  args: [EXPERIMENT],
  flags: [],
  summary: 'Deletes an experiment; its events stay',
  example: 'experiments delete exp_0123456789abcdef --dry-run',
  call: ({ args }) => ({ endpoint: 'DELETE /experiments/{id}', path: { id: args.ID as string } }),
  print: answer => [{ kind: 'facts', facts: [['Deleted', answer.deleted]] }],
})

const WINNER: Flag = {
  flags: '--winner <key>',
  parameter: 'winner',
  help: 'the variant that has won (default: the one that is best most probably)',
}

export const experimentChanges: readonly Command[] = [
  createExperiment,
  statusChange('pause', 'paused', 'Shows no variants any more, until it is resumed'),
  statusChange('resume', 'active', 'Shows the variants again'),
  statusChange('complete', 'completed', 'Ends an experiment for good, with its winner', [WINNER]),
  deleteExperiment,
]
