import { maskAddress, maskSourceSet } from './addresses.ts'
import { MASK, redactIdentifiers, redactPatterns } from './patterns.ts'
import { maskStyles } from './styles.ts'

export type AttributeValue = string | number | true | null

const NAME = /^[a-z_:][\w:.-]{0,99}$/i
/** Attributes that code alone reads, and those that run or load something. */
const DROPPED = /^(on.*|srcdoc|nonce|integrity|ping|rr_dataurl|rr_media.*|autoplay|http-equiv)$/i
/** Addresses of what the page shows. */
const ASSET = /^(src|poster|background|xlink:href|rr_src|data|imagesrc|href)$/i
const PAGE = /^(action|formaction|cite|longdesc|profile|manifest|codebase|itemid)$/i
const SOURCES = /^(srcset|imagesrcset)$/i
const STYLE = /^(style|_csstext)$/i
/** Texts that a user reads or types, and that may be about a person. */
const TEXT =
  /^(value|placeholder|title|alt|label|content|summary|abbr|download|standby|aria-(label|description|valuetext|placeholder|roledescription|braillelabel))$/i
/** Numbers of HTML, SVG and the recorder, and the letters between them. */
const GEOMETRY =
  /^(rr_(width|height|scrollleft|scrolltop)|d|points|transform|viewbox|[xy][12]?|[cdfr][xy]|r|width|height|offset|gradienttransform|patterntransform|stroke-.*|font-size|opacity|rowspan|colspan|min|max|step)$/i
const NUMBERS = /^[\d\s.,+\-a-z()%]*$/i
/** Attributes whose values are words of HTML and SVG. */
const KEYWORD =
  /^(media|sizes|type|rel|charset|xmlns.*|version|lang|dir|role|span|rows|cols|size|maxlength|minlength|tabindex|target|method|enctype|crossorigin|fill.*|stroke|clip.*|font-.*|text-anchor|dominant-baseline|preserveaspectratio|marker.*|mask|filter|color|display|visibility|overflow|stop-.*|vector-effect|gradientunits|patternunits|rr_open_mode|data-rr-is-password)$/i
/** Attributes that a custom element shares with all elements. */
const COMMON = /^(class|id|slot|part|exportparts|is|hidden|dir|lang|role|tabindex|aria-.*)$/i
/** Values of `data-` attributes and custom elements that style sheets select by. */
const STATE =
  /^(|true|false|on|off|yes|no|open|opened|closed|active|inactive|checked|unchecked|indeterminate|selected|disabled|enabled|visible|hidden|show|hide|dark|light|auto|none|horizontal|vertical|left|right|top|bottom|start|end|center|middle|small|medium|large|xs|sm|md|lg|xl|primary|secondary|success|warning|error|danger|info|default|loading|loaded|idle|pending|entering|entered|exiting|exited|collapsed|expanded|delayed-open|instant-open)$/i

const IDENTIFIER = /^(class|id|for|name|part|slot|aria-.*)$/i

type Mask = (value: string) => string

/**
 * Pages have few different attributes, so each is looked up once. A page that makes up names begins again.
 */
const MAX_RULES = 2000
const rules = new Map<string, Mask | null>()

/**
 * Returns the value of an attribute as it may leave the page, or undefined for one that does not. `tag` is in
 * small letters, and empty when it is not known. `masksText`: no text of the page may be read.
 */
export function maskAttribute(
  tag: string,
  name: string,
  value: AttributeValue,
  masksText: boolean,
): AttributeValue | undefined {
  const key = `${tag} ${name} ${masksText}`
  let mask = rules.get(key)
  if (mask === undefined) {
    mask = chooseMask(tag, name, masksText)
    if (rules.size >= MAX_RULES) rules.clear()
    rules.set(key, mask)
  }
  if (mask === null) return
  return typeof value === 'string' ? mask(value) : value
}

/** Returns how the values of an attribute are masked. Null: the attribute does not leave the page. */
function chooseMask(tag: string, name: string, masksText: boolean): Mask | null {
  if (!NAME.test(name) || redactIdentifiers(name) !== name || DROPPED.test(name)) return null
  if (tag === 'meta' && !/^(name|charset|content|property)$/i.test(name)) return null
  if (STYLE.test(name)) return value => maskStyles(value, masksText)
  if (SOURCES.test(name)) return maskSourceSet
  if (PAGE.test(name)) return value => maskAddress(value, false)
  if (ASSET.test(name)) {
    const isAsset = !/^(a|area|base|)$/.test(tag) || /src|poster|background/i.test(name)
    return value => maskAddress(value, isAsset)
  }
  if (TEXT.test(name)) return value => (value === '' ? '' : MASK)
  const isOfPage = /^data-(?!rr-)/i.test(name) || (tag.includes('-') && !COMMON.test(name))
  if (isOfPage) return value => (STATE.test(value) ? value : MASK)
  if (GEOMETRY.test(name)) return value => (NUMBERS.test(value) ? value : redactPatterns(value))
  if (IDENTIFIER.test(name)) return redactIdentifiers
  if (masksText && !KEYWORD.test(name))
    return value => (STATE.test(value) || /^[\d.%-]*$/.test(value) ? value : MASK)
  return redactPatterns
}
