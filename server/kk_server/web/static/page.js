"use strict";

(() => {
  const [, way, code = ""] = location.pathname.replaceAll("%20", " ").split("/"); // where a link leads
  const isPlain = way === "plain"; // lines of text in place of the screen
  const [COLUMNS, ROWS] = isPlain ? [40, 8] : [80, 24]; // what the game needs
  const FONT = 16, SMALLEST_FONT = 5; // pixels
  const FRAME = 4096; // bytes typed that are sent in one go
  const PAUSES = [500, 10000]; // milliseconds before connecting again: at first, and at most
  const RESTARTED = 1012; // the code with which a server closes that comes back
  const CROWDED = [10000, 20000]; // milliseconds before asking a full server again: not all pages at once
  const CODE = /^(?=.{1,40}$)[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*$/; // what a code looks like
  const SILENCE = 10000; // milliseconds without an answer to what is typed before asking for one, and for that
  // milliseconds between two looks at the clock, once a minute in a tab behind others; a gap that means sleep
  const LOOK = 5000, ASLEEP = 150000;

  const script = document.currentScript.src.split("/").pop(); // which version of this page it is

  const find = id => document.getElementById(id);
  const words = JSON.parse(find("words").textContent);
  const door = find("door"), nameField = find("name"), why = find("why"), state = find("state"), keys = find("keys");
  const actions = find("actions");
  const area = find("terminal"), linking = find("linking"), codeField = find("code");
  const encoder = new TextEncoder();

  const terminal = new Terminal({
    allowProposedApi: true, // for widths by Unicode 11
    cursorBlink: false,
    fontFamily: "'DejaVu Sans Mono', 'Noto Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace",
    fontSize: FONT,
    scrollback: isPlain ? 1000 : 0,
    screenReaderMode: isPlain,
    theme: { background: "#121212" },
    windowOptions: { pushTitle: true, popTitle: true },
  });
  const fitting = new FitAddon.FitAddon();
  terminal.loadAddon(fitting);
  terminal.loadAddon(new Unicode11Addon.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  terminal.open(area);

  // what is kept, or forgotten at once where a browser may keep nothing
  const nothing = { getItem: () => null, setItem() {}, removeItem() {} };

  function storage(kind) {
    try {
      return window[kind] || nothing; // some apps that show pages have none
    } catch {
      return nothing;
    }
  }

  const session = storage("sessionStorage"), local = storage("localStorage");

  let socket = null; // of the running session
  let isOver = true; // the session has ended, and nobody wants to come back
  let go = {}; // what to begin with
  let pause = PAUSES[0];
  let waiting = 0;
  let place = session.getItem("kk-place") || ""; // where one is, kept for when the page is loaded again
  let full = ""; // what a server has said that has no room
  let onward = words.again; // what the door's button says to whom it is shown again
  let answer = 0; // the timer of an answer that is awaited
  let answers = false; // the server answers a ping, as older ones do not
  let isGreeted = false; // the server knows who comes
  let cameItself = false; // the keyboard on the screen is there for a text, and not asked for
  let line = session.getItem("kk-line") || ""; // what was half typed, until the server has answered to it
  let writer = session.getItem("kk"); // the name of whoever has typed that, unless they have left
  session.removeItem("kk-line");

  // -- the size ---------------------------------------------------------------------------------------------

  // the usual font, or the largest in which the game fits
  function fit() {
    terminal.options.fontSize = FONT;
    const room = fitting.proposeDimensions();
    if (!room || !room.cols) return;
    const share = Math.min(1, room.cols / COLUMNS, room.rows / ROWS);
    terminal.options.fontSize = Math.max(SMALLEST_FONT, Math.floor(4 * FONT * share) / 4);
    fitting.fit();
  }

  // -- the key ----------------------------------------------------------------------------------------------

  // a promise of what a request of IndexedDB gives
  function given(request) {
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  // the pair of keys that this browser keeps, whose private one nobody can read, or null where it cannot
  async function ownKey() {
    if (!window.isSecureContext || !crypto.subtle) return null;
    try {
      const opening = indexedDB.open("kk", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
      const database = await given(opening);
      const made = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
      // in one transaction: another tab may be making one, too
      const keep = database.transaction("keys", "readwrite").objectStore("keys");
      const kept = await given(keep.get("own"));
      if (kept) return kept;
      await given(keep.put(made, "own"));
      if (navigator.storage && navigator.storage.persist) navigator.storage.persist();
      return made;
    } catch {
      return null; // an old browser, or a private window
    }
  }

  function written(bytes) {
    return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_");
  }

  // what proves to the server that this browser holds its key
  async function proof({ purpose, fingerprint, nonce, expires }) {
    const pair = await key;
    if (pair === null) return {};
    const signed = [purpose, location.origin, fingerprint, nonce, expires].join("\n");
    return {
      key: written(await crypto.subtle.exportKey("raw", pair.publicKey)),
      signature: written(await crypto.subtle.sign("Ed25519", pair.privateKey, encoder.encode(signed))),
    };
  }

  const key = ownKey();

  // -- the socket -------------------------------------------------------------------------------------------

  // before the hello nothing else may be said or typed
  function isHeard() {
    return socket !== null && socket.readyState === WebSocket.OPEN && isGreeted;
  }

  function say(message) {
    if (isHeard()) socket.send(JSON.stringify(message));
  }

  function type(bytes) {
    if (!isHeard() || !bytes.length) return;
    for (let at = 0; at < bytes.length; at += FRAME) socket.send(bytes.subarray(at, at + FRAME));
    if (answers) answer ||= setTimeout(ping, SILENCE);
  }

  // a line that is dead may look open for a quarter of an hour
  function ping() {
    say({ type: "ping" });
    answer = setTimeout(comeBack, SILENCE);
  }

  function hear() {
    clearTimeout(answer);
    answer = 0;
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const opened = new WebSocket(`${scheme}//${location.host}/socket`);
    opened.binaryType = "arraybuffer";
    socket = opened;
    isGreeted = false;
    full = "";
    answer = setTimeout(comeBack, 2 * SILENCE);
    opened.onmessage = event => {
      if (opened !== socket) return;
      hear();
      if (typeof event.data === "string") {
        listen(opened, JSON.parse(event.data));
      } else {
        state.hidden = true;
        arrive();
        terminal.write(new Uint8Array(event.data), () => { if (opened === socket) line = ""; });
      }
    };
    opened.onclose = event => {
      if (opened !== socket) return;
      if (event.code === RESTARTED) isOver = false; // all that older servers say of it
      lose();
    };
  }

  async function listen(opened, message) {
    if (message.type === "challenge") {
      answers = Boolean(message.script);
      if (isOutdated(message.script)) {
        session.setItem("kk-script", message.script);
        location.reload();
        return;
      }
      const proved = await proof(message);
      if (opened !== socket) return;
      if (isPlain) line = begun() || line;
      terminal.reset();
      document.title = "kk"; // until it is said whose turn it is now
      if (cameItself) bringKeyboard(false);
      // a server with another page may not know of places
      const back = place && !go.code && message.script === script ? { place } : {};
      isGreeted = true;
      say({
        type: "hello", name: nameField.value, columns: terminal.cols, rows: terminal.rows,
        languages: navigator.languages.slice(0, 10), ...back, ...proved, ...go,
      });
      if (isPlain) type(encoder.encode(line));
      pause = PAUSES[0];
    } else if (message.type === "place") {
      beAt(message.place);
    } else if (message.type === "typing") {
      if (isTouched && (message.on ? isKeyboardHidden() : cameItself)) bringKeyboard(message.on);
    } else if (message.type === "pong") {
      state.hidden = true;
    } else if (message.type === "full") {
      full = message.reason;
    } else if (message.type === "ended" && message.kind !== "stopping") {
      isOver = true;
      // the name may be theirs, with another key
      if (message.kind === "taken" && go.go !== "link") linking.open = true;
      const isRefused = message.kind === "refused" || message.kind === "taken";
      const isNowhere = message.kind === "nowhere";
      if (message.kind === "left" || isNowhere) beAt("");
      if (message.kind !== "refused") writer = null; // whoever comes now may be somebody else
      onward = isNowhere ? words.lobby : words.again;
      // what is refused now, such as a name, may not be the next time
      if (!isRefused || go.go === "link") arrive();
      why.textContent = message.reason || words.over;
    }
  }

  // what stands in the line that is being typed: only the server knew it, and that session is gone
  function begun() {
    const buffer = terminal.buffer.active, here = buffer.baseY + buffer.cursorY;
    const isGoingOn = y => y > 0 && buffer.getLine(y)?.isWrapped;
    let first = here, line = "", typed = 0;
    while (isGoingOn(first)) first--;
    for (let y = first; y === first || isGoingOn(y); y++) {
      // the last cell of the row above had no room for a wide letter
      if (y > first && buffer.getLine(y).getCell(0).getWidth() === 2) line = line.replace(/ $/, "");
      if (y === here) typed = line.length + buffer.getLine(y).translateToString(false, 0, buffer.cursorX).length;
      line += buffer.getLine(y).translateToString();
    }
    // letters are deleted by blanks written over them; those that were typed have the cursor behind them
    return line.slice(0, Math.max(line.replace(/ +$/, "").length, typed));
  }

  function beAt(somewhere) {
    place = somewhere;
    session.setItem("kk-place", place);
  }

  // the server is another one by now, with a page of its own; it is asked for once, and not for a code that was typed
  function isOutdated(current) {
    if (!current || current === script || go.go === "link") return false;
    return session !== nothing && session.getItem("kk-script") !== current;
  }

  // whatever the link or the code was for is done, and whoever comes back returns to where they are
  function arrive() {
    go = isPlain ? { go: way, code: "" } : {};
    if (isPlain) return;
    if (location.pathname !== "/") history.replaceState(null, "", "/");
  }

  // the socket is closed: by the server, or by whatever lies between
  function lose() {
    socket = null;
    hear();
    if (isOver) {
      leave();
      return;
    }
    sayLost();
    waiting = setTimeout(connect, full ? CROWDED[0] + Math.random() * (CROWDED[1] - CROWDED[0]) : pause);
    pause = Math.min(2 * pause, PAUSES[1]);
  }

  function sayLost() {
    state.textContent = full || words.lost;
    state.hidden = false;
  }

  function enter() {
    isOver = false;
    if (nameField.value !== writer) {
      line = "";
      terminal.reset();
    }
    writer = nameField.value;
    session.setItem("kk", writer);
    local.setItem("kk-name", nameField.value);
    door.hidden = true;
    keys.hidden = !isTouched;
    actions.hidden = !isTouched || isPlain;
    fit();
    terminal.focus();
    connect();
  }

  function leave() {
    session.removeItem("kk");
    door.hidden = false;
    keys.hidden = actions.hidden = true;
    state.hidden = true;
    document.title = "kk";
    door.querySelector("button").textContent = onward;
    nameField.focus();
  }

  function hangUp() {
    const old = socket;
    socket = null;
    hear();
    clearTimeout(waiting);
    if (old !== null) old.close();
  }

  // the socket may look open after a sleep, although nobody is at its other end
  function comeBack() {
    if (isOver) return;
    hangUp();
    sayLost();
    looked = Date.now();
    pause = PAUSES[0];
    connect();
  }

  // a short time without a network is survived by the line, if nothing has changed but that
  function goOn() {
    if (isOver) return;
    if (!answers || socket === null || socket.readyState !== WebSocket.OPEN) {
      comeBack();
      return;
    }
    hear();
    ping();
  }

  // a page that is left may be kept as it is, in case somebody goes back to it, and nobody is there meanwhile
  addEventListener("pagehide", () => {
    if (isPlain) session.setItem("kk-line", isOver ? "" : begun() || line);
    hangUp();
  });
  addEventListener("pageshow", event => { if (event.persisted) comeBack(); });

  let looked = Date.now();
  setInterval(() => {
    const before = looked;
    looked = Date.now();
    if (looked - before > ASLEEP) comeBack();
  }, LOOK);
  // without a network what is typed goes nowhere, but to this machine
  addEventListener("offline", () => { if (!isOver) sayLost(); });
  addEventListener("online", goOn);

  // -- the terminal -----------------------------------------------------------------------------------------

  terminal.onData(data => type(encoder.encode(data)));
  terminal.onBinary(data => type(Uint8Array.from(data, letter => letter.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => say({ type: "resize", columns: cols, rows }));
  // the bell rings when it is one's turn: whoever looks elsewhere is told so by the title in a notification
  terminal.onBell(() => {
    if (!document.hidden || !window.Notification || Notification.permission !== "granted") return;
    try {
      // one that still lies there is replaced, and people are told of the new one, too
      new Notification(document.title, { tag: "kk", renotify: true });
    } catch {
      // some phones show them for service workers alone
    }
  });
  terminal.onTitleChange(title => { document.title = title || "kk"; });
  // what belongs to the browser stays with it: loading the page again, and its clipboard
  terminal.attachCustomKeyEventHandler(({ key, code, ctrlKey, altKey }) => {
    // on a keyboard with other letters it is the place of the key that counts
    const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace("Key", "").toLowerCase();
    const isCopying = letter === "c" && terminal.hasSelection();
    const isBrowsers = ctrlKey && !altKey && (isCopying || letter === "v" || letter === "r");
    return !isBrowsers && !["F5", "F11", "F12"].includes(key);
  });
  // the game explains what is clicked on with the other button
  if (!isPlain) area.addEventListener("contextmenu", event => event.preventDefault());
  new ResizeObserver(fit).observe(area);

  // -- fingers ----------------------------------------------------------------------------------------------

  const isTouched = matchMedia("(pointer: coarse)").matches;
  const KEYS = [["Esc", "\x1b"], ["Tab", "\t"], ["←", "\x1b[D"], ["↑", "\x1b[A"], ["↓", "\x1b[B"], ["→", "\x1b[C"],
    ["⏎", "\r"], ["?", "?"]];

  function button(label, press, kind = "pointerdown") {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    // or it would take the focus, and with it the keyboard on the screen
    made.addEventListener("pointerdown", event => event.preventDefault());
    made.addEventListener(kind, () => press(made));
    return made;
  }

  // the keys that the last line shows, in bold, with what they do and the column where each begins
  function footer() {
    const buffer = terminal.buffer.active, line = buffer.getLine(buffer.viewportY + terminal.rows - 1);
    const found = [];
    let wasBold = false;
    for (let x = 0; line && x < terminal.cols; x++) {
      const cell = line.getCell(x), letter = cell.getChars() || " ", isBold = cell.isBold() !== 0 && letter !== " ";
      if (isBold && !wasBold) found.push({ x, key: "", label: "" });
      const last = found.at(-1);
      if (last && isBold && !last.label) last.key += letter;
      else if (last) last.label += letter;
      wasBold = isBold;
    }
    const named = found.map(({ x, key, label }) => ({ x, key, label: label.trim() }));
    // of "1/2/3 card" each is a key for the same
    for (let at = named.length - 2; at >= 0; at--) if (named[at].label === "/") named[at].label = named[at + 1].label;
    return named.filter(each => each.label);
  }

  // a row of buttons for them, each a click on its place; it is made anew only where the line has changed
  let shown = "";
  function showFooter() {
    const found = footer(), now = JSON.stringify(found);
    if (now === shown) return;
    shown = now;
    actions.replaceChildren(...found.map(({ x, key, label }) => {
      const made = button("", () => {
        const place = `${x + 1};${terminal.rows}`;
        type(encoder.encode(`\x1b[<0;${place}M\x1b[<0;${place}m`));
      }, "click"); // a finger that moves scrolls the row
      const name = document.createElement("b");
      name.textContent = key;
      made.append(name, ` ${label}`);
      return made;
    }));
  }

  // the keyboard on the screen comes only where text is typed, or when asked for
  function showKeyboard(isShown) {
    terminal.textarea.inputMode = isShown ? "text" : "none";
    keys.lastChild.setAttribute("aria-pressed", String(isShown));
    terminal.blur();
    terminal.focus();
  }

  function bringKeyboard(isShown) {
    cameItself = isShown;
    showKeyboard(isShown);
  }

  function isKeyboardHidden() {
    return terminal.textarea.inputMode === "none";
  }

  if (isTouched) {
    if (!isPlain) terminal.textarea.inputMode = "none";
    for (const [label, typed] of KEYS) keys.append(button(label, () => type(encoder.encode(typed))));
    keys.append(button("⌨", () => {
      cameItself = false;
      showKeyboard(isKeyboardHidden());
    }));
    if (!isPlain) terminal.onRender(showFooter);
    keys.lastChild.setAttribute("aria-label", words.keyboard);

    // taps become clicks here: xterm.js keeps touches for itself, and browsers make no mouse of them then
    let finger = null; // where one came down, or was when it last scrolled
    area.addEventListener("touchstart", event => {
      const { clientX, clientY } = event.touches[0];
      finger = event.touches.length === 1 ? { clientX, clientY, hasMoved: false } : null;
    }, { capture: true, passive: true });
    area.addEventListener("touchmove", event => {
      const { clientX, clientY } = event.touches[0], height = 2 * area.clientHeight / terminal.rows;
      if (finger === null || Math.abs(clientY - finger.clientY) < height) return;
      const deltaY = Math.sign(finger.clientY - clientY) * height;
      finger = { clientX, clientY, hasMoved: true };
      send(new WheelEvent("wheel", { deltaY, clientX, clientY, bubbles: true, cancelable: true }));
    }, { capture: true, passive: true });
    area.addEventListener("touchend", event => {
      if (finger === null || finger.hasMoved) return;
      event.preventDefault();
      const { clientX, clientY } = finger;
      for (const [kind, buttons] of [["mousedown", 1], ["mouseup", 0]]) {
        send(new MouseEvent(kind, { buttons, clientX, clientY, bubbles: true, cancelable: true, view: window }));
      }
    }, { capture: true, passive: false });

    function send(event) {
      (document.elementFromPoint(event.clientX, event.clientY) || terminal.element).dispatchEvent(event);
    }
  }

  // -- the door ---------------------------------------------------------------------------------------------

  door.addEventListener("submit", event => {
    event.preventDefault();
    why.textContent = "";
    const typed = codeField.value.trim().replaceAll(/\s+/g, " ");
    if (typed && !CODE.test(typed)) {
      why.textContent = words.nocode;
      codeField.focus();
      return;
    }
    if (typed) go = { go: "link", code: typed };
    codeField.value = "";
    // only what somebody does may ask for it
    if (window.Notification && Notification.permission === "default") Notification.requestPermission();
    enter();
  });
  // a link leads to a table once, and then the address is that of the page
  const isCode = CODE.test(code);
  if (isPlain || isCode) go = { go: way, code };
  if (way && !isPlain) why.textContent = !isCode ? words.nothing : way === "match" ? words.match : words.table;
  find("plain").hidden = isPlain;
  nameField.value = local.getItem("kk-name") || "";
  // the door is shown with all that it says, so that nothing moves under a finger
  key.then(pair => {
    linking.hidden = pair === null;
    find("who").textContent = pair === null ? words.guest : words.kept;
    if (session.getItem("kk") !== null && nameField.value) {
      enter();
    } else {
      door.hidden = false;
      nameField.focus();
    }
  });
})();
