// Small helpers to build the page. Text is always a text node: nothing from a file is ever parsed as HTML.

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T} the element; the page is broken without it
 */
export function byId(id) {
  return /** @type {T} */ (document.getElementById(id));
}

/**
 * Builds an element: `el('td.num', { title: 'x' }, 'text', child)`. A property that is null or false is left out.
 * @param {string} spec tag and classes
 * @param {Record<string, unknown>|null} [attributes] attributes; functions become listeners (`onclick`)
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElement}
 */
export function el(spec, attributes, ...children) {
  const [tag, ...classes] = spec.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * Appends as many as there are: a call takes only so many arguments.
 * @template {Node} T
 * @param {T} node
 * @param {Iterable<Node|string>} children
 * @returns {T}
 */
export function appendAll(node, children) {
  const all = document.createDocumentFragment();
  for (const child of children) all.append(child);
  node.appendChild(all);
  return node;
}

/** @type {WeakMap<HTMLElement, Map<string, HTMLElement>>} */
const kept = new WeakMap();

/**
 * Gives an element the children of some keys, in their order. A child stays as long as its key does: only what is new is built and laid out.
 * @param {HTMLElement} parent whose children all come from here
 * @param {Iterable<string>} keys
 * @param {(key: string) => HTMLElement} make
 * @returns {Map<string, HTMLElement>} the children
 */
export function keepChildren(parent, keys, make) {
  const before = kept.get(parent);
  const now = new Map();
  for (const key of keys) now.set(key, before?.get(key) || make(key));
  for (const [key, node] of before || []) if (!now.has(key)) node.remove();
  let place = parent.firstChild;
  for (const node of now.values()) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  kept.set(parent, now);
  return now;
}

/**
 * @param {string} text
 * @param {number} [most] letters
 */
export function shorten(text, most = 120) {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/**
 * @param {string} name of a symbol in index.html, without `i-`
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const svg = svgElement('svg', { class: 'icon', 'aria-hidden': 'true' });
  svg.append(svgElement('use', { href: `#i-${name}` }));
  return /** @type {SVGSVGElement} */ (svg);
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 */
export function svgElement(tag, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/**
 * Sets text only where it differs, so that screen readers and layout are left alone.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the text is on the clipboard
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el('textarea.visually-hidden', { readonly: true });
    /** @type {HTMLTextAreaElement} */ (area).value = text;
    (document.querySelector('dialog[open]') || document.body).append(area);
    /** @type {HTMLTextAreaElement} */ (area).select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/**
 * A copy button says in its own place that it has copied.
 * @param {HTMLElement} label the element that holds the button's word
 * @param {string} text
 */
export async function copyAndSay(label, text) {
  const before = label.textContent || '';
  setText(label, (await copyText(text)) ? 'Copied' : 'Not allowed');
  setTimeout(() => setText(label, before), 1500);
}

/** @param {string} text said by screen readers when they have time */
export function announce(text) {
  setText(byId('announcer'), text);
}
