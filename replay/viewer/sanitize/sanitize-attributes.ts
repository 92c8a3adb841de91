import { FRAGMENT, IMAGE_DATA, type LeftOut, sanitizeStyles } from './sanitize-styles.ts'

export type AttributeValue = string | number | true | null

const NAME = /^[a-z_:][\w:.-]{0,99}$/i
/** Maximum characters of a value; a longer style sheet or image is left out. */
const MAX_CHARS = 2_000_000
/** Steps of the player for the style of one element: 100 declarations of 100 characters each. */
const MAX_STYLE_STEPS = 1_000_000

/** Attributes of HTML and of rrweb that only say how something looks. */
const LOOKS =
  /^(class|id|dir|lang|role|hidden|inert|open|active|title|alt|label|placeholder|value|type|checked|selected|disabled|readonly|required|multiple|size|rows|cols|wrap|maxlength|minlength|min|max|step|pattern|low|high|optimum|width|height|colspan|rowspan|span|scope|headers|align|valign|bgcolor|color|face|border|frame|rules|cellpadding|cellspacing|nowrap|noshade|clear|compact|start|reversed|summary|abbr|datetime|for|slot|part|exportparts|popover|translate|spellcheck|media|rr_width|rr_height|rr_scrollleft|rr_scrolltop|rr_open_mode)$/i
/** Attributes of SVG without a hyphen. */
const SVG_LOOKS =
  /^(viewbox|xmlns|xmlns:xlink|version|x|y|x1|x2|y1|y2|z|cx|cy|r|rx|ry|fx|fy|fr|dx|dy|d|points|transform|pathlength|preserveaspectratio|fill|stroke|opacity|color|display|visibility|overflow|clip|filter|mask|cursor|offset|rotate|textlength|lengthadjust|method|spacing|startoffset|side|refx|refy|orient|markerunits|markerwidth|markerheight|gradientunits|gradienttransform|spreadmethod|patternunits|patterncontentunits|patterntransform|clippathunits|maskunits|maskcontentunits|filterunits|primitiveunits|in|in2|result|stddeviation|edgemode|operator|k1|k2|k3|k4|values|type|tablevalues|slope|intercept|amplitude|exponent|scale|xchannelselector|ychannelselector|radius|basefrequency|numoctaves|seed|stitchtiles|surfacescale|specularconstant|specularexponent|diffuseconstant|azimuth|elevation|order|kernelmatrix|divisor|bias|targetx|targety|preservealpha|unicode|orientation|systemlanguage)$/i
/**
 * Names with a hyphen: of data, of accessibility, of SVG, of frameworks. `http-equiv` is the only active one.
 */
const HYPHENATED = /^(?!http-equiv$|on)[a-z_][\w]*-[\w:.-]*$/i
const DATA = /^(data|aria)-/
/** All that a page may say of itself: that it is dark. */
const META = /^(name|content)$/
const COLOR_SCHEME = /^(color-scheme|(only|normal|light|dark)( (only|normal|light|dark)){0,2})$/
/**
 * Fields have names, because radio buttons of one name belong together. Others could hide parts of a
 * document.
 */
const NAMED = /^(input|select|textarea|button|slot|details)$/
const IMAGES = /^(img|input|image|feimage)$/
const REFERENCES = /^(use|lineargradient|radialgradient|pattern|filter|textpath|mpath|image|feimage)$/

/**
 * Returns the value of an attribute as the viewer may set it, or undefined for one that it leaves out: only
 * attributes that it knows, and no address but images that hold their data and elements of the document.
 * `tag` is in small letters.
 */
export function sanitizeAttribute(
  tag: string,
  name: string,
  value: unknown,
  leftOut: LeftOut,
): AttributeValue | undefined {
  if (!NAME.test(name) || !isValue(value)) return
  const key = name.toLowerCase()
  if (key === 'style' || key === '_csstext') {
    if (key === '_csstext' && !/^(style|link)$/.test(tag)) return
    if (typeof value !== 'string' || (key === 'style' && isSlow(value))) return
    return sanitizeStyles(value, leftOut)
  }
  if (key === 'href' || key === 'xlink:href') return reference(tag, value, leftOut)
  if (key === 'src') return IMAGES.test(tag) ? image(value, leftOut) : undefined
  if (key === 'srcset') return missing(value, leftOut)
  if (key === 'background' || key === 'poster') return image(value, leftOut)
  if (key === 'name') return NAMED.test(tag) ? value : undefined
  if (tag === 'meta') return META.test(key) && COLOR_SCHEME.test(String(value)) ? value : undefined
  if (tag === 'link' && key !== 'media') return
  if (LOOKS.test(key) || DATA.test(key)) return value
  if (!SVG_LOOKS.test(key) && !HYPHENATED.test(key)) return
  // Attributes of SVG such as `fill` take addresses as styles do.
  return typeof value === 'string' ? sanitizeStyles(value, leftOut) : value
}

/**
 * The player splits the style of an element by an expression that reads from each `;` and each `/*` to the
 * end: 50,000 of them take seconds. A real style has a few dozen, or one long image.
 */
function isSlow(style: string): boolean {
  return (style.split(/;|\/\*/).length - 1) * style.length > MAX_STYLE_STEPS
}

function isValue(value: unknown): value is AttributeValue {
  if (typeof value === 'string') return value.length <= MAX_CHARS
  return value === true || value === null || (typeof value === 'number' && Number.isFinite(value))
}

/** A link leads nowhere, but looks like one. */
function reference(tag: string, value: AttributeValue, leftOut: LeftOut): AttributeValue | undefined {
  if (value === null) return null
  if (tag === 'a' || tag === 'area') return '#'
  const text = String(value).trim()
  if (REFERENCES.test(tag) && FRAGMENT.test(text)) return text
  if (IMAGES.test(tag)) return image(value, leftOut)
  return
}

function image(value: AttributeValue, leftOut: LeftOut): AttributeValue | undefined {
  if (value === null) return null
  const text = String(value).trim()
  if (IMAGE_DATA.test(text)) return text
  return missing(text, leftOut)
}

function missing(value: AttributeValue, leftOut: LeftOut): undefined {
  if (value !== null && value !== '' && value !== 'data:,') leftOut.images++
}
