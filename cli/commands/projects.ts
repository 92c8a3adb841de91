import { callCommand, NAME } from '#cli/command'

export const list = callCommand<'GET /projects'>({
  name: 'list',
  aliases: ['projects'],
  group: 'Projects',
  args: [],
  flags: [],
  summary: 'The projects of the account, with their tokens and origins',
  example: '--demo list',
  call: () => ({ endpoint: 'GET /projects' }),
  print: answer => [
    {
      kind: 'table',
      name: 'projects',
      columns: [
        { key: 'name', title: 'Name' },
        { key: 'display_name', title: 'Shown as' },
        { key: 'id', title: 'Id', as: 'id' },
        { key: 'allowed_origins', title: 'Origins' },
        { key: 'created', title: 'Created' },
        { key: 'project_token', title: 'Token' },
      ],
      none: 'No project yet. Create one: footfall create NAME --domain https://example.com',
      rows: answer.projects.map(project => ({ ...project, created: project.created_at.slice(0, 10) })),
    },
  ],
})

export const project = callCommand<'GET /projects/{id}'>({
  name: 'project',
  group: 'Projects',
  args: [NAME],
  flags: [],
  summary: 'One project: its record, and its usage of today',
  example: '--demo project demo',
  call: ({ args }) => ({ endpoint: 'GET /projects/{id}', path: { id: args.NAME as string } }),
  print: answer => [
    {
      kind: 'facts',
      facts: [
        ['Name', answer.name],
        ['Shown as', answer.display_name],
        ['Id', answer.id],
        ['Token', answer.project_token],
        ['Origins', answer.allowed_origins],
        ['Time zone', answer.timezone],
        ['Created (UTC)', Date.parse(answer.created_at), 'time'],
        ['Events', answer.total_events, 'count'],
        ['Reads', answer.total_reads, 'count'],
        ['Events today', answer.usage_today.event_count, 'count'],
        ['Reads today', answer.usage_today.read_count, 'count'],
      ],
    },
  ],
})
