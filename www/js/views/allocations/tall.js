// Scrolls through more rows than an element can be high: browsers end at 17 million pixels, and a recording has millions of rows.

/** Height of the scrolled element, at most. `data-most` of the body says less: thousands of rows are tall, too, then. */
const MOST = 8e6;

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

  /** Moves the scroll bar to where it belongs. */
  place() {
    const most = Math.max(1, this.full - this.sight);
    const want = this.full <= this.most ? this.top : (this.top / most) * (this.most - this.sight);
    if (Math.abs(this.box.scrollTop - want) >= 1) this.box.scrollTop = want;
    this.seen = this.box.scrollTop;
  }

  /** The box was scrolled. */
  scrolled() {
    const now = this.box.scrollTop;
    const step = now - this.seen;
    if (step === 0) return;
    const most = Math.max(0, this.full - this.sight);
    if (this.full <= this.most) {
      this.top = Math.min(now, most);
      this.seen = this.top;
      return;
    }
    const end = this.most - this.sight;
    if (Math.abs(step) > 2 * this.sight) {
      this.top = Math.min(most, Math.round((now / end) * most));
      this.seen = now;
      return;
    }
    this.top = Math.min(Math.max(0, this.top + step), most);
    this.seen = now;
    // Near an end of the bar, but not of the rows, or the other way round.
    const margin = 4 * this.sight;
    if ((now < margin) !== (this.top < margin) || (end - now < margin) !== (most - this.top < margin) || now <= 0 || now >= end - 1) this.place();
  }

  /** @param {number} row brought into sight by as little as possible */
  reveal(row) {
    const from = row * this.row;
    if (from < this.top) this.go(from);
    else if (from + this.row > this.top + this.sight) this.go(from + this.row - this.sight);
  }
}
