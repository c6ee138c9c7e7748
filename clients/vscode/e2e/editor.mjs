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
export const CURSOR = '.statusbar-item[id="status.editor.selection"]';
/** How long a slow and busy machine may take for what has no limit of its own (milliseconds). */
export const PATIENCE = 90_000;

export class Editor {
  constructor(page) {
    this.page = page;
    this.witnesses = 0;
    /** Clicks and words that were lost, as people lose them, and given again. */
    this.lost = 0;
    page.setDefaultTimeout(PATIENCE);
    page.setDefaultNavigationTimeout(PATIENCE);
  }

  /** A picture of the window, or of a part of it, when it has come to rest. */
  async shot(name, clip) {
    await this.rest('.monaco-workbench', 300, 1500);
    await this.page.screenshot({ path: path.join(SHOTS, `${name}.png`), clip });
  }

  /** The text of all that a selector finds, with plain blanks. */
  text(selector) {
    return this.page.evaluate((css) => [...document.querySelectorAll(css)].map((node) => node.textContent).join('\n').replaceAll('\u00a0', ' '), selector);
  }

  /** Waits until `look` gives a text that matches; gives it. */
  async until(look, pattern, timeout = PATIENCE) {
    const see = typeof look === 'string' ? () => this.text(look) : look;
    const end = Date.now() + timeout;
    for (;;) {
      const text = await see();
      if (pattern.test(text)) return text;
      if (Date.now() > end) throw new Error(`${look} never matched ${pattern}; it reads: ${text.slice(0, 600)}`);
      await this.page.waitForTimeout(30);
    }
  }

  /** Tries a check until it holds. */
  async holds(check, timeout = PATIENCE) {
    const end = Date.now() + timeout;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.waitForTimeout(30);
      }
    }
  }

  async gone(selector) {
    await this.page.waitForSelector(selector, { state: 'hidden' });
  }

  /** Waits until nothing below a selector has changed for so long, or it never rests. */
  async rest(selector, quiet = 400, most = 10_000) {
    await this.page.evaluate(untilRest, [selector, quiet, most]);
  }

  /** Keeps every text that a selector shows from now on, however briefly; what is given tells them all. With `reloads`, in pages loaded later too. */
  async witness(selector, reloads = false) {
    this.witnesses += 1;
    const asked = [selector, this.witnesses];
    if (reloads) await this.page.addInitScript(keepShown, asked);
    else await this.page.evaluate(keepShown, asked);
    return () => this.page.evaluate((name) => window.pastworkShown[name](), asked[1]);
  }

  /** Waits until the workbench is there and the extension's server has answered. */
  async ready(log) {
    await this.page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 2 * PATIENCE });
    await this.until(async () => log(), /server answered/);
  }

  /** Waits until keys go to a quick input. */
  focused() {
    return this.page.waitForFunction(() => document.activeElement?.matches('.quick-input-widget input'));
  }

  /** Closes a quick input, if one is open. */
  async dismiss() {
    await this.page.keyboard.press('Escape');
    await this.gone(PICK);
  }

  /** Opens a quick input by a key and types into it; again where an editor that was opening took the focus meanwhile. */
  async ask(key, words, delay = 5) {
    for (let tries = 0; ; tries += 1) {
      await this.dismiss();
      await this.page.keyboard.press(key);
      await this.focused();
      if (key !== 'F1') await this.page.keyboard.press('Control+a');
      await this.page.keyboard.type(words, { delay });
      if (await this.page.evaluate((wanted) => document.activeElement?.matches('.quick-input-widget input') && document.activeElement.value.endsWith(wanted), words)) return;
      if (tries === 3) throw new Error(`the quick input never held: ${words}`);
      this.lost += 1;
    }
  }

  /** Types into the open quick input and accepts the row that then has the focus and reads so. */
  async choose(words, told) {
    await this.focused();
    await this.page.keyboard.type(words);
    await this.until(`${ROW}.focused`, told);
    await this.page.keyboard.press('Enter');
  }

  /** The row of a quick input that is called so, but for an ellipsis at its end. */
  row(name) {
    const exactly = new RegExp(`^${pattern(name).source}…?$`, 'i');
    return this.page.locator(ROW, { has: this.page.locator(NAME, { hasText: exactly }) }).first();
  }

  async command(title) {
    await this.ask('F1', title);
    await this.row(title).click();
  }

  /** Opens a file of the workspace, at a 1-based line; from the explorer where the editor's file search answers nothing. */
  async open(name, line) {
    const base = name.split('/').at(-1);
    for (let tries = 0; ; tries += 1) {
      await this.ask('Control+p', line ? `${name}:${line}` : name);
      try {
        await this.row(base).click({ timeout: 8000 * (tries + 1) });
        break;
      } catch (error) {
        if (tries === 3) throw error;
        if (!await this.explored(base)) continue;
        if (line) await this.ask('Control+p', `:${line}`);
        if (line) await this.page.keyboard.press('Enter');
        break;
      }
    }
    await this.until('.editor-group-container.active .tab.active', pattern(base));
    if (line) await this.until(CURSOR, new RegExp(`Ln ${line},`));
  }

  /** Opens a file whose row the explorer shows; says whether there is one. */
  async explored(base) {
    await this.dismiss();
    const row = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: base }).first();
    if (!await row.isVisible()) return false;
    this.lost += 1;
    await row.dblclick();
    await this.until('.editor-group-container.active .tab.active', pattern(base));
    return true;
  }

  search(words) {
    return this.ask('Control+Alt+p', words, 40);
  }

  /** Searches and opens the verbatim of the first row once that reads so. */
  async find(words, told) {
    await this.search(words);
    await this.until(`${ROW}.focused`, told);
    await this.page.keyboard.press('Enter');
  }

  /** Shows what an entry of the activity bar holds; a click on the one that is shown would hide it. */
  async view(label) {
    const entry = this.page.locator('.activitybar .action-item', { has: this.page.locator(`a[aria-label*="${label}" i]`) }).first();
    await entry.waitFor({ timeout: 2 * PATIENCE });
    if (!await entry.evaluate((node) => node.classList.contains('checked'))) await entry.click();
    await this.page.waitForFunction((words) => document.querySelector(`.activitybar .action-item.checked a[aria-label*="${words}" i]`), label);
  }

  /** Clicks until the click has done what it does: what is drawn anew under the mouse, such as a row, loses one. */
  async click(press, done) {
    for (let patience = 5000; ; patience *= 3) {
      await press();
      try {
        return await done(patience);
      } catch (error) {
        if (patience > PATIENCE / 3) throw error;
        this.lost += 1;
      }
    }
  }

  /** Follows a link in the active editor. */
  async follow(words, done) {
    const link = this.page.locator(`${LINES} .detected-link`, { hasText: words }).first();
    await this.click(async () => {
      // The words are drawn anew as soon as the mouse is on them, which a locator's click waits out in vain.
      const { x, y, width, height } = await this.holds(async () => (await link.boundingBox()) ?? Promise.reject(new Error(`no link reads ${words}`)));
      await this.page.mouse.move(x + width / 2, y + height / 2);
      await this.page.keyboard.down('Control');
      await this.page.mouse.move(x + width / 2 + 2, y + height / 2);
      await this.page.mouse.click(x + width / 2 + 2, y + height / 2);
      await this.page.keyboard.up('Control');
    }, done);
  }

  /** Opens a page; gives it anew where the extension host was so slow to start that the workbench has given it up. */
  async visit(url, log) {
    const begun = () => log().match(/activated in/g)?.length ?? 0;
    for (let tries = 0; ; tries += 1) {
      const before = begun();
      await this.page.goto(url);
      try {
        await this.until(async () => String(begun() > before), /true/, PATIENCE);
        return;
      } catch (error) {
        if (tries === 2) throw error;
      }
    }
  }

  /** Moves the mouse onto a word of the active editor until its hover is there. */
  async hover(words, told) {
    const line = this.page.locator(`${LINES} .view-line`, { hasText: words }).first();
    for (let tries = 0; ; tries += 1) {
      await line.hover({ position: { x: 150 + 10 * tries, y: 8 } });
      try {
        return await this.until(HOVER, told, 4000 * (tries + 1));
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

  /** Puts a text in place of all that the active editor has. */
  async replace(text) {
    await this.page.waitForFunction(() => document.activeElement?.closest('.editor-group-container.active .monaco-editor'));
    await this.page.keyboard.press('Control+a');
    await this.page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await this.page.keyboard.press('Control+v');
    await this.until(LINES, new RegExp(pattern(text.slice(0, 20)).source));
  }

  /** What was copied, once it is there; it is taken, so that the next is told from it. */
  async clipboard(expected, timeout = PATIENCE) {
    const text = await this.until(() => this.page.evaluate(() => navigator.clipboard.readText()), expected, timeout);
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
    return this.page.evaluate(() => window.pastworkKey(400));
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
  window.pastworkKey = async (quiet) => {
    const end = performance.now() + 30_000;
    while (!last || performance.now() - last < quiet) {
      if (performance.now() > end) throw new Error('a key changed nothing, or the list never rests');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    observer.disconnect();
    return last - begun;
  };
}

/** In the page: every text that a selector shows from now on. */
function keepShown([css, name]) {
  const shown = new Set();
  const look = () => {
    for (const node of document.querySelectorAll(css)) if (node.checkVisibility()) shown.add(node.textContent.replaceAll('\u00a0', ' '));
  };
  new MutationObserver(look).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  look();
  (window.pastworkShown ??= {})[name] = () => [...shown].join('\n');
}

/** In the page: until nothing has changed below a selector for `quiet` milliseconds, or for `most` in all. */
async function untilRest([css, quiet, most]) {
  const begun = performance.now();
  let last = begun;
  const observer = new MutationObserver(() => { last = performance.now(); });
  observer.observe(document.querySelector(css), { attributes: true, characterData: true, childList: true, subtree: true });
  while (performance.now() - last < quiet && performance.now() - begun < most) await new Promise((resolve) => setTimeout(resolve, 20));
  observer.disconnect();
}
