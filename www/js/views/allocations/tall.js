// Scrolls through more rows than an element can be high: browsers end at 17 million pixels, and a recording has millions of rows.

/** Height of the scrolled element, at most. `data-most` of the body says less: thousands of rows are tall, too, then. */
const MOST = 8e6;

/**
 * The same place in another length: from either end pixel by pixel, or the wheel would get slower and slower there, between by share.
 * @param {number} at @param {number} from @param {number} to @param {number} edge
 */
function across(at, from, to, edge) {
  if (at <= edge) return at;
  if (from - at <= edge) return to - (from - at);
  return edge + ((at - edge) * (to - 2 * edge)) / (from - 2 * edge);
}

/** Where the rows of a box stand. Small steps of the scroll bar move by as many pixels; far ones go to that share of all rows. */
export class Tall {
  /** @param {HTMLElement} box scrolls @param {HTMLElement} body in it, as high as the rows */
  constructor(box, body) {
    this.box = box;
    this.body = body;
    this.rows = 0;
    this.row = 24;
    /** Pixels above what is seen, of all rows. */
    this.top = 0;
    /** Where the box is scrolled to, as far as is known. */
    this.seen = 0;
  }

  /** @returns {number} pixels of all rows */
  get full() { return this.rows * this.row; }

  /** @returns {number} */
  get most() { return Number(this.body.dataset.most) || MOST; }

  /** @returns {number} */
  get height() { return Math.min(this.full, this.most); }

  /** @returns {number} pixels of rows in sight */
  get sight() { return Math.max(this.row, this.box.clientHeight - this.body.offsetTop); }

  /** @returns {number} what to take off the place of a row, for its place in the body */
  get offset() { return this.top - this.seen; }

  /** @returns {[number, number]} the first row in sight, and the one behind the last */
  get range() { return [Math.floor(this.top / this.row), Math.min(this.rows, Math.ceil((this.top + this.sight) / this.row))]; }

  /** @param {number} rows @param {number} row pixels of each */
  resize(rows, row) {
    this.rows = rows;
    this.row = row;
    this.body.style.height = `${this.height}px`;
    this.go(this.top);
  }

  /** @param {number} top in pixels of all rows */
  go(top) {
    const most = Math.max(0, this.full - this.sight);
    this.top = Math.min(Math.max(0, top), most);
    this.place();
  }

  /** @returns {[number, number, number]} the farthest that the rows go, and the bar; so many pixels from either end both go alike */
  get ends() {
    const end = Math.max(0, this.height - this.sight);
    return [Math.max(0, this.full - this.sight), end, Math.min(4 * this.sight, end / 3)];
  }

  /** Moves the scroll bar to where it belongs. */
  place() {
    const [last, end, edge] = this.ends;
    const want = across(this.top, last, end, edge);
    if (Math.abs(this.box.scrollTop - want) >= 1) this.box.scrollTop = want;
    this.seen = this.box.scrollTop;
  }

  /** The box was scrolled. */
  scrolled() {
    const now = this.box.scrollTop;
    const step = now - this.seen;
    if (step === 0) return;
    this.seen = now;
    const [last, end, edge] = this.ends;
    if (last === end) this.top = Math.min(now, last);
    else if (Math.abs(step) > 2 * this.sight) this.top = Math.round(across(now, end, last, edge));
    else {
      this.top = Math.min(Math.max(0, this.top + step), last);
      // Neither may end before the other.
      if (Math.min(now, this.top) < edge || Math.min(end - now, last - this.top) < edge) this.place();
    }
  }

  /** @param {number} row brought into sight by as little as possible */
  reveal(row) {
    const from = row * this.row;
    if (from < this.top) this.go(from);
    else if (from + this.row > this.top + this.sight) this.go(from + this.row - this.sight);
  }
}
