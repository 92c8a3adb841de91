/** Returns the element of the page with this id. The page and the script are served together. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`The page has no element ${id}.`)
  return element as Kind
}

/** Makes an element with a class and a text. Texts of a recording are set as texts alone. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** Writes a duration as `1:05`. */
export function toClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Writes a duration for a screen reader. */
export function toWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  const rest = `${seconds % 60} ${seconds % 60 === 1 ? 'second' : 'seconds'}`
  return minutes === 0 ? rest : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ${rest}`
}
