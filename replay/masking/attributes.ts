import { maskAddress, maskSourceSet } from './addresses.ts'
import { MASK, redactIdentifiers, redactPatterns } from './patterns.ts'
import { maskStyles } from './styles.ts'

export type AttributeValue = string | number | true | null

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
/** Numbers and names of HTML, SVG and the recorder, which make no text. */
const STRUCTURE =
  /^(rr_(width|height|scrollleft|scrolltop|open_mode|is_password)|data-rr-is-password|d|points|transform|viewbox|[xy][12]?|[cdfr][xy]|r|width|height|offset|gradient.*|pattern.*|clip.*|stroke.*|fill.*|media|sizes|type|rel|charset|xmlns.*|version|checked|selected|disabled|hidden|open|loading|lang|dir|role|colspan|rowspan|span|rows|cols|size|min|max|step|maxlength|minlength|tabindex|target|method|enctype|async|defer|crossorigin|opacity|font-.*|text-anchor|dominant-baseline|preserveaspectratio|marker.*|mask|filter|color|display|visibility|overflow|stop-.*|vector-effect)$/i
/** Attributes that a custom element shares with all elements. */
const COMMON = /^(class|id|slot|part|exportparts|is|hidden|dir|lang|role|tabindex|aria-.*)$/i
/** Values of `data-` attributes and custom elements that style sheets select by. */
const STATE =
  /^(|true|false|on|off|yes|no|open|opened|closed|active|inactive|checked|unchecked|indeterminate|selected|disabled|enabled|visible|hidden|show|hide|dark|light|auto|none|horizontal|vertical|left|right|top|bottom|start|end|center|middle|small|medium|large|xs|sm|md|lg|xl|primary|secondary|success|warning|error|danger|info|default|loading|loaded|idle|pending|entering|entered|exiting|exited|collapsed|expanded|delayed-open|instant-open)$/i

/**
 * Returns the value of an attribute as it may leave the page, or undefined for one that does not. `tag` is in small letters, and empty
 * when it is not known. `masksText`: no text of the page may be read.
 */
export function maskAttribute(
  tag: string,
  name: string,
  value: AttributeValue,
  masksText: boolean,
): AttributeValue | undefined {
  if (DROPPED.test(name) || (tag === 'meta' && !/^(name|charset|content|property)$/i.test(name))) return
  if (typeof value !== 'string') return value
  if (STYLE.test(name)) return maskStyles(value, masksText)
  if (SOURCES.test(name)) return maskSourceSet(value)
  if (PAGE.test(name)) return maskAddress(value, false)
  if (ASSET.test(name))
    return maskAddress(value, !/^(a|area|base|)$/.test(tag) || /src|poster|background/i.test(name))
  if (TEXT.test(name)) return value === '' ? '' : MASK
  if (/^data-/i.test(name) && !/^data-rr-/i.test(name)) return STATE.test(value) ? value : MASK
  if (tag.includes('-') && !COMMON.test(name)) return STATE.test(value) ? value : MASK
  if (STRUCTURE.test(name))
    return value.length > 64 && !/^[\s\d.,a-z()#%+:/;=-]*$/i.test(value) ? redactPatterns(value) : value
  if (/^(class|id|for|name|part|slot|aria-.*)$/i.test(name)) return redactIdentifiers(value)
  return masksText ? (STATE.test(value) || /^[\d.%-]*$/.test(value) ? value : MASK) : redactPatterns(value)
}
