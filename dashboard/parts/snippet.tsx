import type { Answer } from '#dashboard/api'
import { Code } from './question.tsx'

type Props = { project: Pick<Answer<'GET /projects/{id}'>, 'name' | 'project_token'> }

/** The line that every page of a site carries. Its token is public. */
export function Snippet({ project: { name, project_token } }: Props) {
  return (
    <Code title="HTML">
      {`<script defer src="${location.origin}/tracker.js" data-project="${name}" data-token="${project_token}"></script>`}
    </Code>
  )
}
