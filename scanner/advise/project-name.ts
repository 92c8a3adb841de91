/** A name for the project of a host, as POST /projects takes it. */
export function projectNameOf(hostname: string): string {
  const name = hostname
    .replace(/^www\./, '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 64)
  return name === '' ? 'my-site' : name
}
