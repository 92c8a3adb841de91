/**
 * The events of rrweb 2 as far as a recording has them. Numbers of types and sources are those of rrweb.
 */

export const EventType = { Loaded: 0, Load: 1, FullSnapshot: 2, Incremental: 3, Meta: 4, Custom: 5 } as const
export const Source = {
  Mutation: 0,
  MouseMove: 1,
  MouseInteraction: 2,
  Scroll: 3,
  ViewportResize: 4,
  Input: 5,
  TouchMove: 6,
  StyleSheetRule: 8,
  Drag: 12,
  StyleDeclaration: 13,
  AdoptedStyleSheet: 15,
  CustomElement: 16,
} as const

export const NodeType = { Document: 0, DocumentType: 1, Element: 2, Text: 3, CDATA: 4, Comment: 5 } as const

type Value = string | number | true | null

export type SnapshotNode = {
  id: number
  type: number
  rootId?: number
  isShadow?: boolean
  isShadowHost?: boolean
  isSVG?: boolean
  isCustom?: boolean
  needBlock?: boolean
  compatMode?: string
  name?: string
  publicId?: string
  systemId?: string
  tagName?: string
  attributes?: Record<string, Value | object>
  childNodes?: SnapshotNode[]
  textContent?: string
}

/**
 * An event as rrweb emits it. What `data` has depends on the type and the source, and comes from a page, so
 * nothing is sure.
 */
export type RecordedEvent = { type: number; timestamp: number; data: Record<string, unknown> }
