/** What the browser remembers between visits: the last project, and nothing about people. */

const KEY = 'footfall-project'

export function rememberProject(name: string): void {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Without storage there is no last project.
  }
}

export function lastProject(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
