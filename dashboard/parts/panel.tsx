import type { ComponentChildren } from 'preact'

/**
 * A titled part of a view. `tabs`: other pictures at the same place, each an address. `note`: what a reader
 * must know of its numbers before reading them.
 */
export function Panel({
  title,
  tabs,
  actions,
  note,
  children,
  wide = false,
}: {
  title: string
  tabs?: readonly { title: string; href: string; isOpen: boolean }[]
  actions?: ComponentChildren
  note?: string | undefined
  children: ComponentChildren
  wide?: boolean
}) {
  return (
    <section class={wide ? 'panel wide' : 'panel'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {tabs !== undefined && (
          <nav aria-label={`${title}: choose`}>
            {tabs.map(tab => (
              <a key={tab.title} href={tab.href} aria-current={tab.isOpen ? 'true' : undefined}>
                {tab.title}
              </a>
            ))}
          </nav>
        )}
        {actions}
      </header>
      {note !== undefined && <p class="cut note-of-panel">{note}</p>}
      {children}
    </section>
  )
}
