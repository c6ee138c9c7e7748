/** A hand and an eye for the workbench in the browser. */

import path from 'node:path';
import { SHOTS } from './stage.mjs';

export const PICK = '.quick-input-widget:not([style*="display: none"])';
export const ROW = `${PICK} .quick-input-list .monaco-list-row`;
/** Within a row: what it is called, without the line below. */
export const NAME = '.quick-input-list-row:first-child .label-name';
export const LENS = '.codelens-decoration';
export const HOVER = '.monaco-hover:not(.hidden)';
export const LINES = '.editor-group-container.active .view-lines';
export const TOAST = '.notifications-toasts';
export const PANES = '.split-view-view.visible .pane';

export class Editor {
  constructor(page) { this.page = page; }

  /** A picture of the window, or of a part of it. */
  shot(name, clip) { return this.page.screenshot({ path: path.join(SHOTS, `${name}.png`), clip }); }

  /** The text of all that a selector finds, with plain blanks. */
  text(selector) {
    return this.page.evaluate((css) => [...document.querySelectorAll(css)].map((node) => node.textContent).join('\n').replaceAll('\u00a0', ' '), selector);
  }

  /** Waits until `look` gives a text that matches; gives it. */
  async until(look, pattern, timeout = 20_000) {
    const see = typeof look === 'string' ? () => this.text(look) : look;
    const end = Date.now() + timeout;
    for (;;) {
      const text = await see();
      if (pattern.test(text)) return text;
      if (Date.now() > end) throw new Error(`${look} never matched ${pattern}; it reads: ${text.slice(0, 600)}`);
      await this.page.waitForTimeout(30);
    }
  }

  async gone(selector) {
    await this.page.waitForSelector(selector, { state: 'hidden', timeout: 20_000 });
  }

  /** Waits until the workbench is there and the extension's server has answered. */
  async ready(log) {
    await this.page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 120_000 });
    await this.until(async () => log(), /server answered/, 60_000);
  }

  /** Opens a quick input by a key and types into it. */
  async ask(key, words, delay = 5) {
    await this.page.keyboard.press('Escape');
    await this.gone(PICK);
    await this.page.keyboard.press(key);
    await this.page.waitForFunction(() => document.activeElement?.matches('.quick-input-widget input'), undefined, { timeout: 20_000 });
    if (key !== 'F1') await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(words, { delay });
  }

  /** The row of a quick input that is called so, but for an ellipsis at its end. */
  row(name) {
    const exactly = new RegExp(`^${pattern(name).source}…?$`, 'i');
    return this.page.locator(ROW, { has: this.page.locator(NAME, { hasText: exactly }) }).first();
  }

  async command(title) {
    await this.ask('F1', title);
    await this.row(title).click({ timeout: 20_000 });
  }

  /** Opens a file of the workspace, at a 1-based line; waits for the file search, which lags behind the list. */
  async open(name, line) {
    const base = name.split('/').at(-1);
    for (let tries = 0; ; tries += 1) {
      await this.ask('Control+p', line ? `${name}:${line}` : name);
      try {
        await this.row(base).click({ timeout: 8000 });
        break;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
    await this.until('.editor-group-container.active .tab.active', pattern(base));
    if (line) await this.until('.statusbar-item[id="status.editor.selection"]', new RegExp(`Ln ${line},`));
  }

  search(words) {
    return this.ask('Control+Alt+p', words, 40);
  }

  /** Moves the mouse onto a word of the active editor until its hover is there. */
  async hover(words, told) {
    const line = this.page.locator(`${LINES} .view-line`, { hasText: words }).first();
    for (let tries = 0; ; tries += 1) {
      await line.hover({ position: { x: 150 + 10 * tries, y: 8 } });
      try {
        return await this.until(HOVER, told, 4000);
      } catch (error) {
        if (tries === 4) throw error;
      }
    }
  }

  /** The text of the whole document in the active editor. */
  async document() {
    await this.page.locator(LINES).first().click({ position: { x: 300, y: 5 } });
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Control+c');
    const text = await this.clipboard(/./);
    await this.page.keyboard.press('ArrowLeft');
    return text;
  }

  /** What was copied, once it is there; it is taken, so that the next is told from it. */
  async clipboard(expected) {
    const text = await this.until(() => this.page.evaluate(() => navigator.clipboard.readText()), expected);
    await this.page.evaluate(() => navigator.clipboard.writeText(''));
    return text;
  }

  /** What decorations write behind lines. */
  afterText() {
    return this.page.evaluate(() => [...document.querySelectorAll('.view-line span')]
      .map((span) => getComputedStyle(span, '::after').content).filter((text) => text.startsWith('"')).join('\n').replaceAll('\u00a0', ' '));
  }

  /** Types one letter; gives the milliseconds from the key to the last change of the list, the server's rows for the new query. */
  async keystroke(letter) {
    await this.page.evaluate(watchList);
    await this.page.keyboard.press(letter === ' ' ? 'Space' : letter);
    return this.page.evaluate(() => window.pastworkWatch.settled(400));
  }
}

function pattern(words) {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}

/** In the page: notes when the next key goes down and when the quick input's list last changed after it. */
function watchList() {
  const list = document.querySelector('.quick-input-list');
  let begun = 0;
  let last = 0;
  const observer = new MutationObserver(() => { last = performance.now(); });
  observer.observe(list, { childList: true, subtree: true, characterData: true });
  addEventListener('keydown', (event) => { begun = event.timeStamp; last = 0; }, { capture: true, once: true });
  const settled = async (quiet) => {
    const end = performance.now() + 5000;
    while (performance.now() < end && (!last || performance.now() - last < quiet)) await new Promise((resolve) => setTimeout(resolve, 20));
    observer.disconnect();
    return last - begun;
  };
  window.pastworkWatch = { settled };
}
