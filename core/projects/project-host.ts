import type { Project } from './project.ts'

/** Whether a host is one of a project's origins. A project that allows all origins has every host. */
export function isProjectOf(
  { allowed_origins }: Pick<Project, 'allowed_origins'>,
  hostname: string,
): boolean {
  if (allowed_origins === '*') return true
  return allowed_origins.split(',').some(origin => hostKey(new URL(origin).hostname) === hostKey(hostname))
}

/** `www.` makes no other site. */
function hostKey(hostname: string): string {
  return hostname.replace(/^www\./, '')
}
