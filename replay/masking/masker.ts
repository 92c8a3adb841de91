import { maskAddress } from './addresses.ts'
import { type AttributeValue, maskAttribute } from './attributes.ts'
import { EventType, NodeType, type RecordedEvent, type SnapshotNode, Source } from './events.ts'
import { type Fields, list, numbers, pick } from './fields.ts'
import { MASK, maskWords, redactPatterns } from './patterns.ts'
import { isSpread } from './spread.ts'
import { maskStyles, maskStyleValue } from './styles.ts'
import { createTypedValues } from './typed-values.ts'

export type MaskerOptions = {
  /** `inputs`: what users type and what looks like a secret. `text`: also every text of the page. */
  preset: 'inputs' | 'text'
  /** Asks the page whether the texts of a node are masked by a selector at this node. */
  isMaskedHere?: (id: number) => boolean
  /**
   * Asks the page whether they are masked now: by its attributes, by a selector, or because it can be edited,
   * also above.
   */
  isMasked?: (id: number) => boolean
  /**
   * Asks the page whether a text that has changed or was added is a part of a secret, with the texts around
   * it.
   */
  isPartOfSecret?: (id: number) => boolean
  /** Reads the field that the user types into now: its id and what it holds. */
  readTyped?: () => { id: number; text: string } | null
  /** Reads what all fields of the page hold. A snapshot may come in parts, and a text before its field. */
  readFields?: () => string[]
  /**
   * Asks the page whether an element has more text or more nodes than `isSpread` looks at. The page is asked
   * as it is now.
   */
  isLong?: (id: number) => boolean
  /** Asks the page whether a node is in a blocked element. */
  isBlocked?: (id: number) => boolean
}

/** What the text of a node is. A node that is not known is masked. */
type Kind = 'shown' | 'masked' | 'style' | 'dropped'

const NODE_FIELDS = ['id', 'type', 'rootId', 'isShadow', 'isShadowHost', 'isSVG', 'isCustom', 'needBlock']

/** How many nodes are remembered. A page with more is masked from then on. */
const MAX_NODES = 500_000
/** Elements whose texts are values of fields, or are read by code alone. */
const MASKED_TAGS = /^(textarea|option|select|datalist|title)$/
const DROPPED_TAGS = /^(script|noscript|template)$/
/** Fields whose value is not typed. */
export const FIXED_FIELD = /^(hidden|radio|checkbox|submit|button|reset|image|range|color|file)$/
const TYPED_TAGS = /^(input|textarea)$/
const TAG_NAME = /^[a-z][\w.-]{0,99}$/
const MEDIA = /^(canvas|audio|video|object|embed)$/

/**
 * Returns the function that masks each event of a recording, in their order. It builds every event anew from
 * the fields that it knows, so what it does not know does not leave the page. It returns null for an event
 * that is not recorded.
 */
export function createMasker({
  preset,
  isMaskedHere = () => false,
  isMasked = () => false,
  isPartOfSecret = () => false,
  isLong = () => false,
  readTyped = () => null,
  readFields = () => [],
  isBlocked = () => false,
}: MaskerOptions) {
  const masksText = preset === 'text'
  const typed = createTypedValues()
  const kinds = new Map<number, Kind>()
  const tags = new Map<number, string>()
  /** The fields that a user types into. */
  const typedFields = new Set<number>()

  function remember(id: number, kind: Kind, tag = ''): void {
    if (kinds.size >= MAX_NODES) return
    kinds.set(id, kind)
    if (tag) tags.set(id, tag)
  }

  function maskText(text: string, kind: Kind): string {
    if (kind === 'dropped') return ''
    if (kind === 'style') return styleOf(text)
    return kind === 'masked' || masksText ? maskWords(text) : redactPatterns(typed.redactShown(text))
  }

  /** Notes what the fields below a node hold, before any text is masked that may come before them. */
  function noteFields({ id, tagName = '', attributes = {}, childNodes = [] }: SnapshotNode): void {
    if (TYPED_TAGS.test(tagName.toLowerCase())) noteField(id, attributes)
    for (const child of childNodes) noteFields(child)
  }

  function noteField(id: number, { type, value }: Record<string, unknown>): void {
    if (FIXED_FIELD.test(String(type ?? 'text'))) return
    typedFields.add(id)
    if (typeof value === 'string') typed.note(id, value)
  }

  function maskAttributes(tag: string, attributes: Record<string, unknown>) {
    const masked: Record<string, AttributeValue | object> = {}
    for (const [name, value] of Object.entries(attributes)) {
      if (/^(style|_csstext)$/i.test(name) && value !== null) {
        masked[name] = typeof value === 'object' ? maskStyleChanges(value as Fields) : styleOf(value)
        continue
      }
      const result = maskAttribute(tag, name, value as AttributeValue, masksText)
      if (result === undefined) continue
      // A class or an id may be a word that the user typed. Without it the page would look different.
      masked[name] = typeof result === 'string' && !/^(class|id)$/.test(name) ? typed.redact(result) : result
    }
    return masked
  }

  function maskStyleChanges(changes: Record<string, unknown>) {
    const mask = (value: unknown) =>
      typeof value === 'string'
        ? maskStyleValue(value, masksText, typed.redact)
        : value === false
          ? false
          : MASK
    return Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(mask) : mask(value),
      ]),
    )
  }

  /** Masks a node and what is below it. `above` is the kind of its parent. */
  function maskNode(node: SnapshotNode, above: Kind): SnapshotNode {
    const { id, type } = node
    const common = pick(node, NODE_FIELDS) as SnapshotNode
    if (type === NodeType.Text) {
      const kind = above === 'shown' && isPartOfSecret(id) ? 'masked' : above
      remember(id, kind)
      return { ...common, textContent: maskText(String(node.textContent ?? ''), kind) }
    }
    if (type === NodeType.DocumentType) return { ...common, name: 'html', publicId: '', systemId: '' }
    if (type !== NodeType.Document && type !== NodeType.Element) {
      remember(id, 'dropped')
      return { ...common, textContent: '' }
    }
    const tag = String(node.tagName ?? '').toLowerCase()
    const kind = kindOf(node, tag, above)
    remember(id, kind, tag)
    if (type === NodeType.Document)
      return {
        ...common,
        ...(node.compatMode === 'BackCompat' && { compatMode: 'BackCompat' }),
        childNodes: maskChildren(node, kind),
      }
    return {
      ...common,
      tagName: TAG_NAME.test(tag) ? tag : 'div',
      attributes: maskAttributes(tag, node.attributes ?? {}),
      childNodes: MEDIA.test(tag) || node.needBlock ? [] : maskChildren(node, kind),
    }
  }

  function maskChildren(node: SnapshotNode, kind: Kind): SnapshotNode[] {
    const below = kind === 'shown' && isSpread(node) && !isLong(node.id) ? 'masked' : kind
    return (node.childNodes ?? []).map(child => maskNode(child, below))
  }

  function kindOf(node: SnapshotNode, tag: string, above: Kind): Kind {
    if (DROPPED_TAGS.test(tag)) return 'dropped'
    if (tag === 'style') return 'style'
    if (above !== 'shown') return above
    const { attributes = {} } = node
    const isEditable = 'contenteditable' in attributes && attributes.contenteditable !== 'false'
    if (MASKED_TAGS.test(tag) || isEditable || 'data-aa-mask' in attributes || isMaskedHere(node.id))
      return 'masked'
    return 'shown'
  }

  /** Asks the page too, because an element may have become editable since it was recorded. */
  function currentKind(id: number, changed: number): Kind {
    const kind = kinds.get(id) ?? 'masked'
    return kind === 'shown' && (isMasked(id) || isPartOfSecret(changed)) ? 'masked' : kind
  }

  function maskMutation(data: Record<string, unknown>) {
    // A page may show what is typed before the event of the field comes.
    const current = readTyped()
    if (current) typed.note(current.id, current.text)
    const isShown = (id: unknown) => !isBlocked(id as number)
    for (const { id, attributes } of list(data.attributes))
      if (typedFields.has(id as number)) noteField(id as number, attributes as Fields)
    for (const { node } of list(data.adds)) noteFields(node as SnapshotNode)
    return {
      source: Source.Mutation,
      ...pick(data, ['isAttachIframe']),
      texts: list(data.texts)
        .filter(({ id }) => isShown(id))
        .map(({ id, value }) => ({
          id,
          value: value === null ? null : maskText(String(value), currentKind(id as number, id as number)),
        })),
      attributes: list(data.attributes)
        .filter(({ id }) => isShown(id))
        .map(({ id, attributes }) => ({
          id,
          attributes: maskAttributes(tags.get(id as number) ?? '', attributes as Record<string, unknown>),
        })),
      removes: list(data.removes).map(remove => pick(remove, ['parentId', 'id', 'isShadow'])),
      adds: list(data.adds)
        .filter(({ parentId }) => isShown(parentId))
        .map(({ node, ...place }) => ({
          ...pick(place, ['parentId', 'nextId', 'previousId']),
          node: maskNode(
            node as SnapshotNode,
            currentKind(place.parentId as number, (node as SnapshotNode).id),
          ),
        })),
    }
  }

  const sources: Record<number, (data: Record<string, unknown>) => Record<string, unknown> | null> = {
    [Source.Mutation]: maskMutation,
    [Source.MouseMove]: data => ({ positions: list(data.positions).map(numbers) }),
    [Source.TouchMove]: data => ({ positions: list(data.positions).map(numbers) }),
    [Source.Drag]: data => ({ positions: list(data.positions).map(numbers) }),
    [Source.MouseInteraction]: numbers,
    [Source.Scroll]: numbers,
    [Source.ViewportResize]: numbers,
    [Source.Input](data) {
      const { id, text, isChecked } = data
      if (typeof text === 'string' && typedFields.has(id as number)) typed.note(id as number, text)
      return { id, isChecked: isChecked === true, text: text ? MASK : '' }
    },
    [Source.StyleSheetRule]: data => ({
      ...pick(data, ['id', 'styleId']),
      adds: list(data.adds).map(rule => ({ ...pick(rule, ['index']), rule: styleOf(rule.rule) })),
      removes: list(data.removes).map(rule => pick(rule, ['index'])),
      ...(typeof data.replace === 'string' && { replace: styleOf(data.replace) }),
      ...(typeof data.replaceSync === 'string' && { replaceSync: styleOf(data.replaceSync) }),
    }),
    [Source.StyleDeclaration](data) {
      const { set, remove } = data as Record<'set' | 'remove', Record<string, unknown> | undefined>
      const value = (text: unknown) =>
        typeof text === 'string' ? maskStyleValue(text, masksText, typed.redact) : null
      return {
        ...pick(data, ['id', 'styleId', 'index']),
        ...(set && {
          set: {
            property: String(set.property),
            value: value(set.value),
            priority: value(set.priority) ?? undefined,
          },
        }),
        ...(remove && { remove: { property: String(remove.property) } }),
      }
    },
    [Source.AdoptedStyleSheet]: data => ({
      ...pick(data, ['id', 'styleIds']),
      styles: list(data.styles).map(style => ({
        ...pick(style, ['styleId']),
        rules: list(style.rules).map(rule => ({ ...pick(rule, ['index']), rule: styleOf(rule.rule) })),
      })),
    }),
    [Source.CustomElement]: data => {
      const { name } = (data.define ?? {}) as { name?: unknown }
      return { define: { name: redactPatterns(String(name ?? '')) } }
    },
  }

  function styleOf(css: unknown): string {
    return maskStyles(String(css ?? ''), masksText, typed.redact)
  }

  return function maskEvent({ type, timestamp, data }: RecordedEvent): RecordedEvent | null {
    if (type === EventType.Loaded || type === EventType.Load) return { type, timestamp, data: {} }
    if (type === EventType.Meta) {
      const href = typed.redact(maskAddress(String(data.href), false))
      return { type, timestamp, data: { href, ...numbers(data) } }
    }
    if (type === EventType.FullSnapshot) {
      kinds.clear()
      tags.clear()
      typedFields.clear()
      noteFields(data.node as SnapshotNode)
      // Their ids are not known yet. Those of nodes are positive.
      for (const [at, value] of readFields().entries()) typed.note(-1 - at, value)
      const node = maskNode(data.node as SnapshotNode, 'shown')
      return { type, timestamp, data: { node, initialOffset: numbers(data.initialOffset) } }
    }
    const mask = type === EventType.Incremental ? sources[data.source as number] : undefined
    const masked = mask?.(data)
    return masked ? { type, timestamp, data: { source: data.source, ...masked } } : null
  }
}
