import { callCommand, type Flag, parametersOf } from '#cli/command'

const FLAGS: readonly Flag[] = [
  {
    flags: '--message <text>',
    parameter: 'message',
    required: true,
    help: 'what happened, without secrets and data of customers',
  },
  { flags: '--project <name>', parameter: 'project', help: 'the project that it is about' },
  { flags: '--command <text>', parameter: 'command', help: 'the command that it is about' },
  { flags: '--context <text>', parameter: 'context', help: 'what else helps to understand it' },
]

export const feedback = callCommand<'POST /account/feedback'>({
  name: 'feedback',
  group: 'Account',
  effect: 'changes',
  args: [],
  flags: FLAGS,
  summary: 'Tells the operator of the service something',
  example: "feedback --message 'The funnel has no time zone' --dry-run",
  call: input => ({ endpoint: 'POST /account/feedback', body: parametersOf(FLAGS, input) }),
  print: () => [{ kind: 'line', text: 'Thank you. The operator can read it.' }],
})
