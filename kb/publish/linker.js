/* Turns the citations of a page into links with cards. One file, no dependency; it sends nothing anywhere.
 *
 *   <script src="https://laws.example/linker.js" defer></script>
 *
 * On the script: data-root (a selector, default the whole page), data-lang (language of the cards),
 * data-edition (meant where a text names none), data-base (address of the site, default the folder of the
 * script), data-auto="off" (do nothing until kbLinker.link() is called).
 * The grammar and the table of refs are put in when the site is published. The texts of the cards come with
 * linker-data.js, a script too, so that it works from file://; it is asked for when a first card opens.
 *
 * Finder does what kb/cite/find.py, record.py, setting.py, rows.py, numbers.py and series.py do, method by method: change both.
 */
(function (root) {
  "use strict";
  var VERSION = /* kb:version */ null;
  // Name and hash of the data that belong to this very script.
  var DATA = /* kb:data */ null;
  var GRAMMAR = /* kb:grammar */ null;
  var REFS = /* kb:refs */ null;
  var SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  var ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
  var HOPS = 4;

  // kb/publish/linker.py packs what it puts in.
  function unpack(data) {
    function split(table, name) {
      var word = "";
      table[name] = table[name].split("\n").filter(Boolean).map(function (row) {
        return (word = word.slice(0, parseInt(row[0], 36)) + row.slice(1));
      });
    }
    Object.assign(data, JSON.parse(JSON.stringify(data).replace(/`(.)/gu, function (all, ch) {
      return ch === "`" ? ch : "[" + ch.toUpperCase() + ch + "]";
    })));
    data.scan.idle = [];
    ["lexicon", "count", "letters"].forEach(function (name) {
      var made = {};
      data[name].forEach(function (row) {
        split(row, 1);
        row[1].forEach(function (word) {
          made[word] = row[0];
          if (row[0][3] && name === "lexicon") { data.scan.idle.push(word); }
        });
      });
      data[name] = made;
    });
    split(data, "places");
    split(data, "localCues");
    Object.keys(data.outline).forEach(function (work) { split(data.outline, work); });
  }
  if (GRAMMAR) { unpack(GRAMMAR); }

  function own(table, key) { return Object.prototype.hasOwnProperty.call(table, key) ? table[key] : undefined; }
  function digits(text) { return /^[0-9]+$/.test(text); }
  function upper(ch) { return ch !== ch.toLowerCase(); }
  function superscript(raw) {
    return /^[A-Z]/.test(raw) ? raw : raw ? "-" + raw.split("").map(function (ch) { return SUPER.indexOf(ch); }).join("") : "";
  }
  function words(text) { return text.toLowerCase().split(/\s+/).filter(Boolean).join(" "); }

  function trie(node, last, gap) {
    var options = Object.keys(node).filter(Boolean).sort().map(function (ch) {
      var up = ch.toUpperCase(), sign = ch === " " ? gap : ch !== up && up.length === 1 ? "[" + up + ch + "]" :
        ch.replace(/[^0-9\p{L}]/u, "\\$&");
      return sign + trie(node[ch], ch, gap);
    });
    if ("" in node) { options.push(/\p{L}/u.test(last) ? "(?![A-Za-zА-Яа-яЁёІі])" : ""); }
    return options.length === 1 ? options[0] : "(?:" + options.join("|") + ")";
  }

  // Grammar: the table as exported, its patterns compiled when first asked for.
  function Grammar(data) {
    var self = this;
    this.data = data;
    this.cache = {};
    this.places = {};
    Object.keys(data.outline).forEach(function (work) {
      var at = self.places[work] = Object.create(null);
      data.outline[work].forEach(function (dotted, n) { at[dotted] = n; });
    });
  }
  Grammar.prototype.pattern = function (source, flag) {
    var key = flag + source, self = this;
    return this.cache[key] || (this.cache[key] = new RegExp(source.replace(/<(nouns|foreign|words|games|these)>/g, function (all, kind) {
      return self.words(kind);
    }), flag));
  };
  // The words that a name in a pattern stands for, as kb/cite/patterns.py and shapes.py put them together.
  Grammar.prototype.words = function (kind) {
    var data = this.data, idle = data.scan.idle, top = {};
    if (kind === "games") { return data.games || "(?!)"; }
    Object.keys(data.lexicon).forEach(function (word) {
      var is = data.lexicon[word][0];
      var kinds = { nouns: "noun", these: "this same" }[kind] || kind;
      if (kind === "words" ? is === "cue" || idle.indexOf(word) >= 0 : kinds.split(" ").indexOf(is) < 0) { return; }
      word.split("").reduce(function (node, ch) { return node[ch] || (node[ch] = {}); }, top)[""] = {};
    });
    return Object.keys(top).length ? trie(top, "", data.rx.gap) : "(?!)";
  };
  Grammar.prototype.anchor = function () {
    var scan = this.data.scan;
    return this.pattern(scan.edge + scan.opening + "(?:(" + scan.any.join(")|(") + "))", "g");
  };
  Grammar.prototype.plain = function (raw, numbering) {
    var kept = raw.replace(/[^0-9A-Za-zА-Яа-яЁёІі]/g, "");
    if (numbering === "arabic") { return (raw.match(/[0-9]+/g) || []).join("-"); }
    if (numbering === "roman" || numbering === "lower-roman" || numbering === "extra") {
      kept = kept.replace(/і/g, "i").replace(/І/g, "I");
      return numbering === "roman" ? kept.toUpperCase() : kept.toLowerCase();
    }
    var table = this.data.letters;
    var latin = kept.split("").map(function (ch) { return own(table, ch) || ch; }).join("");
    return numbering === "upper" ? latin.toUpperCase() : latin.toLowerCase();
  };

  function classOf(number) {
    if (number % 10 === 1 && number % 100 !== 11) { return "1"; }
    return number % 10 >= 2 && number % 10 <= 4 && (number % 100 < 12 || number % 100 > 14) ? "2" : "5";
  }
  function between(low, high) {
    var n, steps = [];
    if (digits(low) && digits(high)) {
      if (+low >= +high) { return null; }
      for (n = +low + 1; n < Math.min(+high, +low + 1000); n++) { steps.push(String(n)); }
      return steps;
    }
    var at = ROMAN.indexOf(low), to = ROMAN.indexOf(high);
    if (at >= 0 && to >= 0) { return at < to ? ROMAN.slice(at + 1, to) : null; }
    if (low.length === 1 && high.length === 1 && low < high && upper(low) === upper(high)) {
      for (n = low.charCodeAt(0) + 1; n < high.charCodeAt(0); n++) { steps.push(String.fromCharCode(n)); }
      return steps;
    }
    return null;
  }
  function expand(first, last, places, limit) {
    if (first.length !== last.length) { return []; }
    var head = first.slice(0, -1), has = function (path) { return path.join(".") in places; };
    if (head.join(".") === last.slice(0, -1).join(".")) {
      var inner = between(first[first.length - 1], last[last.length - 1]);
      if (!inner || inner.length + 1 > limit) { return []; }
      var middle = inner.map(function (step) { return head.concat(step); });
      if (has(first) || has(last)) { middle = middle.filter(has); }
      return [first].concat(middle, [last]);
    }
    var low = places[first.join(".")], high = places[last.join(".")];
    if (low === undefined || high === undefined || low >= high) { return []; }
    var same = Object.keys(places).filter(function (dotted) { return places[dotted] >= low && places[dotted] <= high; })
      .sort(function (a, b) { return places[a] - places[b]; })
      .map(function (dotted) { return dotted.split("."); })
      .filter(function (path) { return path.length === first.length; });
    return same.length <= limit ? same : [];
  }
  function ascend(low, high) {
    var first = +low.path[0].split("-")[0], second = +high.path[0].split("-")[0];
    return first < second && second > 9;
  }
  function with_(element, more) { return Object.assign({}, element, more); }

  // context: {work, edition, path} or null. strict off: what a person typed.
  function Finder(text, grammar, context, strict) {
    this.text = text;
    this.grammar = grammar;
    this.data = grammar.data;
    this.context = context || null;
    this.strict = strict !== false;
    this.law = grammar.data.law;
    this.out = [];
    this.last = null;
    this.lastAt = 0;
    this.localEnd = -1;
    this.placeEnd = -1;
    this.alien = "";
    this.alienEnd = -1;
  }
  var F = Finder.prototype;

  F.match = function (name, at) { return this.at(this.data.rx[name], at); };
  F.at = function (source, at) {
    if (!source) { return null; }
    var pattern = this.grammar.pattern(source, "y");
    pattern.lastIndex = at;
    var found = pattern.exec(this.text);
    if (found) { found.end = at + found[0].length; }
    return found;
  };
  F.run = function () {
    var methods = [this.word, this.exact, this.year, this.bareDotted, this.bare, this.bareRelative, this.bracket, this.act];
    var pattern = this.grammar.anchor();
    var pos = 0, found;
    for (;;) {
      pattern.lastIndex = pos;
      found = pattern.exec(this.text);
      if (!found) { return this.judged(); }
      var group = 1;
      while (group < 8 && found[group] === undefined) { group++; }
      var start = found.index;
      pos = Math.max(methods[group - 1].call(this, start, start + found[0].length, found[0]), start + 1);
    }
  };

  // Anchors.
  F.word = function (start, end, word) {
    var entry = this.data.lexicon[words(word)];
    if (entry[0] === "noun") { return this.noun(start, end, entry[1], entry[2], start, "") || end; }
    if (entry[0] === "this" || entry[0] === "same") { return this.anaphoric(start, end, entry[0]); }
    if (entry[0] === "ibid") { return this.ibid(start, end); }
    if (entry[0] === "foreign" && entry[2] === "titled") { return this.titled(start, end, entry[1]); }
    if (entry[0] === "foreign" && entry[2]) { return this.code(start, end, entry[1]); }
    return end;
  };
  F.exact = function (start, end, word) {
    var entry = this.data.exact[word];
    return this.noun(start, end, entry[1], entry[2], start, "") || end;
  };
  F.year = function (start, end, year) {
    if (this.data.editions.indexOf(year) < 0) { return end; }
    if (this.text[end] === ":") {
      var element = this.provision(end + 1, this.law);
      return element && element.path.length > 1 ? this.emit([with_(element, { start: start })], this.law, "full", year) : end;
    }
    var found = this.match("before", end);
    var noun = found ? this.nounAt(found.end) : null;
    if (!noun) { return end; }
    var done = this.noun(noun.at, noun.end, noun.value, noun.plural, start, year);
    if (done) { return done; }
    var nouns = this.data.nouns;
    var named = upper(this.text[noun.at]) || this.text.slice(Math.max(0, start - 4), start).toLowerCase() === "the ";
    if (named && /^\s+$/.test(this.text.slice(end, noun.at)) && noun.value.some(function (n) { return nouns[n].whole; })) {
      return this.edition(start, noun.end, year);
    }
    return end;
  };
  F.bareDotted = function (start, end) {
    var before = this.text.slice(Math.max(0, start - 2), start);
    if ((before.length === 2 && digits(before[0])) || (before.slice(-1) === "." && !this.cued(start))) { return end; }
    var works = Object.keys(this.data.works).sort();
    for (var n = 0; n < works.length; n++) {
      var element = this.dotted(start, works[n], "");
      if (!element) { continue; }
      var roots = this.grammar.places[this.data.works[works[n]].over || works[n]];
      if (roots && !(element.path[0] in roots)) { continue; }
      if (element.path.length > 2 || element.directed || this.cued(start)) {
        return this.series(element, this.parser("dotted", works[n], false), works[n], true, "");
      }
    }
    return end;
  };
  F.bare = function (start, end) {
    var element = this.provision(start, this.law), self = this;
    var before = this.text[start - 1];
    if (!element || element.path.length < 2 || ((before === "." || before === ",") && !this.cued(start))) { return end; }
    var last = this.antecedent(start), sure;
    if (this.at(this.data.works[this.law].bare, start)) {
      sure = this.text.slice(start, element.end).indexOf("(") >= 0 || !!last || this.cued(start, true) ||
        (this.listedSection(element.path) && !this.placed(start));
    } else {
      sure = (last && last[0] === this.law && last[2][0] === element.path[0]) || (this.cued(start) && !this.bid(element.path));
    }
    if (!sure) { return element.end; }
    return this.series(element, function (at) { return self.provision(at, self.law); }, this.law, true, "");
  };
  F.bareRelative = function (start, end) {
    var relative = this.relative(start, this.law);
    if (!relative || relative.depth !== 0) { return end; }
    var directed = this.match("direction", relative.end);
    if (!directed && this.text.slice(start, relative.end).indexOf("(") < 0) { return end; }
    return this.local(start, relative, this.law, directed) || end;
  };
  F.bracket = function (start, end) {
    var works = this.context && this.context.work !== this.law ? [this.context.work, this.law] : [this.law];
    for (var n = 0; n < works.length; n++) {
      var work = works[n];
      var relative = own(this.data.works, work) ? this.relative(start, work) : null;
      if (!relative || (relative.depth === 0 && work === this.law && this.data.works[work].steps[1] === "upper")) { continue; }
      var directed = this.match("direction", relative.end);
      if (!(directed || this.followsLocal(start) || this.localCue(start))) { continue; }
      var done = this.local(start, relative, work, directed);
      if (done) { this.localEnd = done; return done; }
    }
    return end;
  };

  // Nouns and what follows them.
  F.noun = function (at, end, value, plural, start, edition) {
    var lead = this.match("lead", end);
    var pos = lead ? lead.end : end;
    for (var i = 0; i < value.length; i++) {
      var noun = this.data.nouns[value[i]], done;
      if (noun.whole && !edition && (done = this.whole(start, end))) { return done; }
      var kinds = noun.numbers || [];
      for (var k = 0; k < kinds.length; k++) {
        if (kinds[k] === "relative") {
          // First as a letter, then as the preposition it also is.
          var gap = this.match("gap", end), opens = gap ? gap.end : end;
          if ((done = this.chain(start, opens, noun.work, edition) || (opens !== pos && this.chain(start, pos, noun.work, edition)))) {
            return done;
          }
          continue;
        }
        var parse = this.parser(kinds[k], noun.work, noun.dot);
        var element = parse(pos);
        var dash = !element && plural && this.match("dash", end);
        if (dash) {
          element = parse(dash.end);
          element = element && element.path.length > 1 ? element : null;
        }
        if (!element || this.refused(at, element, noun)) { continue; }
        if (noun.weak && this.strict && element.path.length === 1) {
          var id = (this.laterCode(element.end) || {}).id || (this.stillForeign(at) && this.alien);
          if (id) { return this.foreign(start, element.end, id, element.path[0]); }
        }
        if (noun.places && this.strict && this.inPlace(at, element)) { return element.end; }
        var first = with_(element, { start: start });
        if (noun.heading) { return this.heading(first, parse, noun.work); }
        return this.series(first, this.anyParser(noun), noun.work, plural, edition, noun, at);
      }
    }
    if (/[0-9]/.test(this.text[pos] || "")) {
      var number = this.match("number", pos), code = number && this.codeAfter(number.end);
      if (code) { return this.foreign(start, code.end, code.id, number[0]); }
      this.last = null;
    }
    return 0;
  };
  F.parser = function (kind, work, dot) {
    var self = this;
    if (kind === "dotted") { return function (at) { return self.dotted(at, work, dot ? "." : ""); }; }
    return function (at) {
      var element = self.provision(at, work);
      return kind === "lettered" && element && element.path.length < 2 ? null : element;
    };
  };
  F.anyParser = function (noun) {
    var self = this;
    var parsers = noun.numbers.filter(function (kind) { return kind !== "relative"; })
      .map(function (kind) { return self.parser(kind, noun.work, noun.dot); });
    return function (at) {
      return parsers.reduce(function (found, parse) { return found || parse(at); }, null);
    };
  };
  F.refused = function (at, element, noun) {
    if (this.grammar.pattern(this.data.rx.possessive, "").test(this.text.slice(Math.max(0, at - 8), at))) { return true; }
    if (noun.listed && !this.listedSection(element.path)) { return true; }
    if (this.strict && noun.places && /[0-9]\s*$/.test(this.text.slice(Math.max(0, at - 2), at))) { return true; }
    if (this.strict && noun.never_after && element.path.length === 1 &&
      noun.never_after.indexOf(this.previous(at)[0].toLowerCase()) >= 0) { return true; }
    if (!(this.strict && noun.weak && element.path.length === 1)) { return false; }
    var previous = this.previous(at), word = previous[0];
    var short = /[^0-9A-Za-zА-Яа-яЁё]/.test(this.text[at + 1] || "");
    var counted = short && /[0-9]\s*$/.test(this.text.slice(Math.max(0, at - 2), at));
    return counted || (noun.not_after || []).indexOf(word.toLowerCase()) >= 0 || (word !== "" && upper(word[0]) && !previous[1]);
  };
  F.series = function (first, parse, work, plural, edition, noun, at) {
    var elements = this.row(first, parse, work, plural);
    if (!elements.length) { return first.end; }
    if (noun && this.strict && !this.context && (noun.places ? this.noLetter(elements, at) :
      noun.rules && (this.ruleOf(elements, at) || (plural === 2 && this.lonePlural(elements))))) {
      return elements[elements.length - 1].end;
    }
    return this.emit(elements, work, first.dotted ? "paragraph" : "full", edition);
  };
  F.chain = function (start, pos, work, edition) {
    var first = this.relative(pos, work);
    if (!first) { return 0; }
    var relative = first;
    for (var hop = 0; hop < HOPS; hop++) {
      var of = this.match("of", relative.end);
      var noun = of ? this.nounAt(of.end) : null;
      if (!noun) { break; }
      var lead = this.match("lead", noun.end);
      var at = lead ? lead.end : noun.end;
      for (var i = 0; i < noun.value.length; i++) {
        var spec = this.data.nouns[noun.value[i]], kinds = spec.numbers || [];
        for (var k = 0; k < kinds.length; k++) {
          var element = kinds[k] === "relative" ? null : this.parser(kinds[k], work, false)(at);
          if (element && spec.work === work) {
            if (element.path.length !== this.base(work) + relative.depth) { return noun.at; }
            return this.emit([with_(element, { start: start, path: element.path.concat(relative.steps) })], work, "full", edition);
          }
        }
      }
      var above = this.relative(at, work);
      if (!above || above.depth + above.steps.length !== relative.depth) { return above ? noun.at : 0; }
      relative = { depth: above.depth, steps: above.steps.concat(relative.steps), end: above.end, telling: true };
    }
    var directed = this.match("direction", relative.end);
    if (!(first.telling || directed) || this.codeAfter(relative.end)) { return 0; }
    return this.local(start, relative, work, directed);
  };
  F.local = function (start, relative, work, directed) {
    var keep = this.base(work) + relative.depth, base = [], context = this.context;
    if (context && context.work === work) { base = context.path; }
    else if (context && (own(this.data.works, context.work) || {}).over === work) { base = context.path.slice(0, 1); }
    var last = directed ? null : this.antecedent(start);
    var lent = base.length < keep && last && last[0] === work;
    if (lent) { base = last[2]; }
    if (base.length < keep || !/^[0-9]/.test(base[0]) || base[0].indexOf("~") >= 0) { return 0; }
    var end = directed ? directed.end : relative.end;
    this.add(start, end, "local", work, lent && !context ? last[1] : "", base.slice(0, keep).concat(relative.steps));
    return end;
  };
  F.anaphoric = function (start, end, kind) {
    var gap = this.match("gap", end), nouns = this.data.nouns;
    var noun = gap ? this.nounAt(gap.end) : null;
    if (!noun || !noun.value.some(function (n) { return (nouns[n].numbers || []).indexOf("provision") >= 0; })) { return end; }
    var done = this.noun(noun.at, noun.end, noun.value, noun.plural, noun.at, "");
    if (done) { return done; }
    var last = this.antecedent(start), top = [], edition = "", context = this.context;
    if (kind === "this" && context && context.path.length) {
      var over = (own(this.data.works, context.work) || {}).over;
      top = this.law === context.work || this.law === over ? context.path.slice(0, 1) : [];
    } else if (last && last[0] === this.law) {
      top = last[2].slice(0, 1);
      edition = last[1];
    }
    if (top.length && /^[0-9]/.test(top[0])) { this.add(start, noun.end, "anaphoric", this.law, edition, top); }
    return noun.end;
  };
  F.ibid = function (start, end) {
    var before = this.text.slice(Math.max(0, start - 2), start).replace(/ +$/, "");
    var last = this.antecedent(start);
    if (last && (!before || "(;.".indexOf(before.slice(-1)) >= 0)) { this.add(start, end, "anaphoric", last[0], last[1], last[2]); }
    return end;
  };
  F.code = function (start, end, code) {
    var tail = this.match("country", end);
    var at = tail ? tail.end : end, noun = this.nounAt(at);
    at = noun ? noun.end : at;
    var lead = this.match("lead", at);
    var number = this.match("number", lead ? lead.end : at);
    return number ? this.foreign(start, number.end, code, number[0]) : end;
  };
  F.act = function (start, end, word) {
    var name = word.indexOf(" ") > 0 || this.grammar.pattern(this.data.rx.actBefore, "").test(this.text.slice(Math.max(0, start - 40), start));
    return name ? this.titled(start, end, this.data.acts) : end;
  };
  F.titled = function (start, end, code) {
    var found = this.match("titled", end), number = found ? this.match("number", found.end) : null;
    return number ? this.foreign(start, number.end, code, number[0]) : end;
  };
  F.codeAfter = function (end) {
    var found = this.match("foreign", end);
    if (found) { return { id: this.data.lexicon[words(found[1])][1], end: found.end }; }
    found = this.alien && this.match("sameCode", end);
    if (found) { return { id: this.alien, end: found.end }; }
    found = this.match("act", end);
    return found ? { id: this.data.acts, end: found.end } : null;
  };
  F.foreign = function (start, end, code, number) {
    this.out.push(this.citation(start, end, "full", "", "", [code].concat(number.match(/[0-9]+/g) || [])));
    this.last = null;
    this.alien = code;
    this.alienEnd = end;
    return end;
  };
  F.whole = function (start, end) {
    var found = this.match("whole", end);
    if (!found || this.data.editions.indexOf(found[1]) < 0) { return 0; }
    return this.edition(start, found.end, found[1]);
  };
  F.edition = function (start, end, year) {
    var before = this.match("soft", end) || this.match("before", end);
    var noun = before ? this.nounAt(before.end) : null;
    var done = noun ? this.noun(noun.at, noun.end, noun.value, noun.plural, start, year) : 0;
    return done || this.emit([{ start: start, end: end, path: [], paths: [] }], this.law, "full", year);
  };
  F.heading = function (first, parse, work) {
    var end = first.end, path = first.path.slice(0, 1);
    var found = this.match("range", end) || this.match("sep", end);
    var second = found ? parse(found.end) : null;
    if (second) { end = second.end; path = [first.path[0] + "~" + second.path[0]]; }
    this.add(first.start, end, "full", work, "", path);
    return end;
  };

  // Rows.
  F.row = function (first, parse, work, plural) {
    var elements = [first];
    for (;;) {
      var prev = elements[elements.length - 1];
      var spread = this.range(prev, parse, work, plural);
      if (spread) {
        if (!spread.paths.length) { return elements.slice(0, -1); }
        elements[elements.length - 1] = prev = spread;
      }
      var sep = this.match("sep", prev.end), gloss = sep ? null : this.match("gloss", prev.end);
      if (gloss) { sep = this.match("sep", gloss.end); }
      if (!sep) { break; }
      var element = this.item(prev, sep.end, work) || parse(sep.end) || this.partial(prev, sep.end, work);
      if (element && sep[0].trim() === "/" && !plural && prev.path.length === 1 && element.path.length === 1 &&
        !ascend(prev, element)) { return []; }
      if (!element || !this.listed(prev, element, sep[0], plural)) { break; }
      if (gloss && !plural && element.path.length === 1 && !this.stops(element.end)) { break; }
      elements.push(element);
    }
    if (elements.length === 1 && !elements[0].paths.length) { elements[0] = this.descend(elements[0], work); }
    return elements;
  };
  F.item = function (prev, at, work) {
    var partial = /[0-9]/.test(this.text[at] || "") ? this.partial(prev, at, work) : null;
    var relative = partial && this.relative(at, work);
    if (!partial || !digits(relative.steps[0])) { return null; }
    if (relative.steps.length > 1 && this.text.slice(at, relative.end).indexOf("(") < 0) { return null; }
    if (partial.path.join(".") in (this.grammar.places[work] || {})) { return partial; }
    var number = relative.steps[0], before = prev.path[this.base(work) + relative.depth];
    return digits(before) && +number <= +before + 3 && +number < +prev.path[0].split("-")[0] ? partial : null;
  };
  F.listed = function (prev, element, sep, plural) {
    if (!this.strict || element.dotted || element.partial) { return true; }
    if (element.path.length === 1) {
      var joint = sep.trim().replace(/^[,;(\s]+/, "").toLowerCase();
      var soft = sep.trim() && (!joint || this.data.weakContrast.indexOf(joint) >= 0);
      return plural || !soft || this.stops(element.end);
    }
    if (this.bid(element.path)) {
      return element.path.join(".") in (this.grammar.places[this.law] || {}) && (plural || this.bid(prev.path));
    }
    return true;
  };
  F.range = function (prev, parse, work, plural) {
    var found = this.match("range", prev.end);
    if (!found) { return null; }
    var again = this.match("again", found.end), at = again ? again.end : found.end;
    var element = this.item(prev, at, work) || parse(at) || this.partial(prev, at, work, true);
    if (!element) { return null; }
    var nothing = { start: prev.start, end: prev.end, path: [], paths: [] };
    if (this.strict && this.match("rangeOn", element.end)) { return nothing; }
    var mark = found[0].trim(), dashed = mark === "-" || mark === "–" || mark === "—";
    if (this.strict && element.path.length === 1 && dashed && !plural && found[0] !== mark) { return null; }
    var paths = expand(prev.path, element.path, this.grammar.places[work] || {}, this.data.maxRange);
    if (!paths.length && this.strict && prev.path.length === 1 && dashed && found[0] === mark) { return nothing; }
    return paths.length ? with_(element, { start: prev.start, paths: paths }) : null;
  };
  F.partial = function (prev, at, work, ranged) {
    var relative = this.relative(at, work);
    if (!relative) { return null; }
    var keep = this.base(work) + relative.depth, step = relative.steps[0];
    if (prev.path.length <= keep) { return null; }
    if (digits(step) && !relative.telling) {
      var before = prev.path[keep];
      if (!digits(before) || +step > 9 || (!ranged && +step <= +before)) { return null; }
      if (this.strict && this.counts(relative.end, +step)) { return null; }
    }
    if (this.strict && this.match("bad", relative.end)) { return null; }
    return {
      start: at, end: relative.end, path: prev.path.slice(0, keep).concat(relative.steps), paths: [],
      dotted: prev.dotted, partial: true
    };
  };
  // What a citation stands among: kb/cite/setting.py.
  F.judged = function () {
    var self = this, start = -1, theirs = false, top = "";
    if (!this.strict || this.context || !this.data.games) { return this.out; }
    return this.out.map(function (citation, at) {
      if (!citation.work || !citation.path.length) { theirs = false; }
      else if (/^(anaphoric|local)$/.test(citation.form)) { theirs = theirs && citation.path[0] === top; }
      else if (citation.form !== "list" && citation.start !== start) { theirs = self.elsewhere(citation, at); }
      start = citation.start;
      if (!theirs) { return citation; }
      top = citation.path[0];
      return self.citation(start, citation.end, "full", "", "", [self.data.elsewhere, top]);
    });
  };
  F.elsewhere = function (citation, at) {
    var self = this, before = this.before(citation.start), after = this.after(citation.end), path = citation.path;
    function named(text) {
      return Array.from(text.matchAll(self.grammar.pattern(self.data.rx.game, "g"))).filter(function (found) {
        return found[1] === undefined || !self.has("denied", text.slice(0, found.index));
      });
    }
    var last = named(before).pop(), first = named(after)[0];
    if (path.length > 1 && !/^[0-9]/.test(path[1])) {
      if (last && last[1] && this.has("touches", before.slice(last.index + last[0].length), "y")) { return true; }
      var of = this.match("of", citation.end);
      return !!(of && first && first[1] && of.end === citation.end + first.index);
    }
    var following = this.out.slice(at + 1, at + 80).filter(function (c) { return c.start >= citation.end; })[0];
    if (first && following && citation.end + first.index > following.start) { first = null; }
    var nearer = last && first ? (before.length - last.index - last[0].length <= first.index ? last : first) : last || first;
    return !!nearer && nearer[1] !== undefined;
  };
  F.has = function (name, text, flag) {
    var pattern = this.grammar.pattern(this.data.rx[name], flag || "");
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
  F.before = function (at) {
    return this.text.slice(Math.max(0, at - 240), at).split(this.grammar.pattern(this.data.rx.stop, "")).pop().toLowerCase();
  };
  F.after = function (at) {
    return this.text.slice(at, at + 160).split(this.grammar.pattern(this.data.rx.stop, ""))[0].toLowerCase();
  };
  F.noLetter = function (elements, at) {
    var end = elements[elements.length - 1].end, word = this.match("next", end), text = this.text;
    if (/[A-Za-zА-Яа-яЁё]/.test(text[at + 1]) || elements.some(function (e) { return e.path.length > 1; })) { return false; }
    if (word && this.data.places.indexOf(word[1].toLowerCase()) >= 0) { return true; }
    if (/[(\[]/.test(text[at - 1] || "") || this.cued(at) || this.antecedent(at)) { return false; }
    var around = (text.slice(Math.max(0, at - 100), at) + " " + text.slice(end, end + 100)).toLowerCase();
    return !this.has("signs", around) && !this.has("calls", around) && this.has("prose", around);
  };
  F.ruleOf = function (elements, at) {
    var rules = this.data.rules, talked = this.data.talked;
    if (elements.some(function (e) {
      return e.path.length > 1 || e.paths.length || (rules.indexOf(e.path[0]) < 0 && talked.indexOf(e.path[0]) < 0);
    }) || this.cued(at)) { return false; }
    var before = this.text.slice(Math.max(0, at - 3), at).trimEnd();
    if (upper(this.text[at]) && before && ".!?".indexOf(before.slice(-1)) < 0) { return false; }
    var around = this.before(at) + " " + this.after(elements[elements.length - 1].end);
    return !this.has("signs", around) &&
      (elements.every(function (e) { return rules.indexOf(e.path[0]) >= 0; }) || this.has("talk", around));
  };
  F.lonePlural = function (elements) {
    var first = elements[0], word = this.match("next", first.end);
    return elements.length === 1 && !first.paths.length && first.path.length === 1 && parseInt(first.path[0], 10) < 5 &&
      !!word && word[1].length > 2 && word[1] === word[1].toLowerCase();
  };
  F.stillForeign = function (at) {
    return this.alienEnd >= 0 && at - this.alienEnd <= 240 && !this.has("stop", this.text.slice(this.alienEnd, at));
  };
  F.laterCode = function (end) {
    var nouns = this.data.nouns;
    for (var hop = 0; hop < 4; hop++) {
      var sep = this.match("sep", end), noun = sep && this.nounAt(sep.end);
      if (!noun || !noun.value.some(function (n) { return nouns[n].weak; })) { return null; }
      var lead = this.match("lead", noun.end), number = this.match("number", lead ? lead.end : noun.end);
      if (!number) { return null; }
      end = number.end;
      var code = this.codeAfter(end);
      if (code) { return code; }
    }
    return null;
  };
  F.descend = function (element, work) {
    var nouns = this.data.nouns;
    for (var hop = 0; hop < HOPS; hop++) {
      var of = this.match("of", element.end);
      var noun = of ? this.nounAt(of.end) : null;
      if (!noun || !noun.value.some(function (n) { return (nouns[n].numbers || []).indexOf("relative") >= 0; })) { return element; }
      var lead = this.match("lead", noun.end);
      var relative = this.relative(lead ? lead.end : noun.end, work);
      if (!relative || this.base(work) + relative.depth !== element.path.length) { return element; }
      element = with_(element, { end: relative.end, path: element.path.concat(relative.steps) });
    }
    return element;
  };

  // Numbers.
  F.provision = function (at, work) {
    var table = this.data.works[work];
    var found = this.at(this.strict ? table.provision : table.query, at);
    if (!found || found[1][0] === "0" || (this.strict && found[1].length > this.data.rootDigits)) { return null; }
    var path = [found[1] + superscript(found[2])], ends = [0, 0, at + found[1].length + found[2].length];
    var end = ends[2], opened = "", spaced = false;
    for (var group = 3; group < found.length && found[group] !== undefined; group++) {
      var raw = found[group], kind = table.steps[group - 2], mark = raw[0];
      // Steps stand one behind the other, so their places follow from their lengths.
      ends[group] = ends[group - 1] + raw.length;
      var plain = kind === "arabic" && raw.indexOf("(") < 0;
      var loose = plain && (/\s/.test(mark) || mark === "-" || mark === "\u2011") && mark !== opened;
      if (this.strict && loose && (found[group + 1] || "")[0] !== "(") { break; }
      path.push(this.grammar.plain(raw, kind));
      spaced = plain && /\s/.test(mark);
      opened = mark;
      end = ends[group];
    }
    if (!this.strict) {
      var letters = this.data.letters;
      var strange = path.length > 1 && !Object.keys(letters).some(function (ch) { return letters[ch] === path[1]; });
      return strange && this.bid(path.slice(0, 2)) ? null : { start: at, end: end, path: path, paths: [] };
    }
    if (this.match("bad", end)) { return null; }
    if (path.length === 1 && (this.counts(end, +found[1]) || this.match("more", end))) { return null; }
    if (spaced && +path[path.length - 1] > 1 && this.counts(end, +path[path.length - 1])) {
      path.pop();
      end = ends[path.length + 1];
    }
    return { start: at, end: end, path: path, paths: [] };
  };
  F.dotted = function (at, work, dot) {
    var found = this.at(this.data.works[work][this.strict ? "dotted" : "typed"], at);
    if (!found || found[1][0] === "0" || found[2][0] === "0") { return null; }
    var kinds = this.data.works[work].steps.slice(2);
    var top = found[1].replace(/[⁰¹²³⁴-⁹]+$/, "");
    var path = [top + superscript(found[1].slice(top.length)), found[2].replace("(", "-").replace(")", "")];
    for (var n = 0; n < kinds.length && found[n + 3] !== undefined; n++) { path.push(this.grammar.plain(found[n + 3], kinds[n])); }
    var end = found.end;
    if (dot && this.match("trail", end)) { end++; }
    var directed = this.match("direction", end) || (this.text[end] === "." ? this.match("direction", end + 1) : null);
    return { start: at, end: directed ? directed.end : end, path: path, paths: [], dotted: true, directed: !!directed };
  };
  F.relative = function (at, work) {
    var found = this.at(this.data.works[work].relative, at);
    if (!found) { return null; }
    var kinds = this.data.works[work].steps.slice(this.base(work)), offset = 1;
    for (var depth = 0; depth < kinds.length; depth++) {
      if (found[offset] !== undefined) {
        var steps = [];
        for (var n = 0; n < kinds.length - depth; n++) {
          if (found[offset + n] !== undefined) { steps.push(this.grammar.plain(found[offset + n], kinds[depth + n])); }
        }
        return { depth: depth, steps: steps, end: found.end, telling: !digits(found[0].trim()) };
      }
      offset += kinds.length - depth;
    }
    return null;
  };
  F.counts = function (at, number) {
    var found = this.match("next", at);
    var word = found ? found[1].toLowerCase() : "";
    var keys = own(this.data.count, word) || (this.data.countEndings.some(function (end) {
      return word.length > end.length + 2 && word.slice(-end.length) === end;
    }) ? "5" : "");
    var counted = classOf(number);
    return keys.indexOf("*") >= 0 || keys.indexOf(counted) >= 0 || (counted === "2" && keys.indexOf("5") >= 0);
  };

  // Small questions.
  F.base = function (work) { return this.data.works[work].steps.indexOf("dotted") >= 0 ? 2 : 1; };
  F.nounAt = function (at) {
    var found = this.match("word", at);
    var entry = found ? this.data.lexicon[words(found[0])] : null;
    return entry && entry[0] === "noun" ? { at: at, end: found.end, value: entry[1], plural: entry[2] } : null;
  };
  F.previous = function (at) {
    var found = this.grammar.pattern(this.data.rx.previous, "").exec(this.text.slice(Math.max(0, at - 40), at));
    return found ? [found[2], found[3], found[1] || ""] : ["", "", ""];
  };
  F.cued = function (at, weak) {
    var previous = this.previous(at), lexicon = this.data.lexicon;
    var filler = this.data.fillers.indexOf(previous[0].toLowerCase()) >= 0;
    return [previous[0], filler ? previous[2] : ""].some(function (word) {
      var low = word.toLowerCase();
      return [low + previous[1], low + ".", low].some(function (form) {
        var entry = own(lexicon, form);
        return entry && entry[0] === "cue" && (entry[2] || weak);
      });
    });
  };
  F.localCue = function (at) {
    var previous = this.previous(at), cues = this.data.localCues, word = previous[0].toLowerCase();
    return cues.indexOf(word) >= 0 || (this.data.fillers.indexOf(word) >= 0 && cues.indexOf(previous[2].toLowerCase()) >= 0);
  };
  F.followsLocal = function (at) {
    if (this.localEnd < 0 || at - this.localEnd > 12) { return false; }
    var sep = this.match("sep", this.localEnd);
    return !!sep && sep.end === at;
  };
  F.listedSection = function (path) { return path.slice(0, 2).join(".") in (this.grammar.places[this.law] || {}); };
  F.placed = function (at) {
    var found = this.grammar.pattern(this.data.rx.placed, "").exec(this.text.slice(Math.max(0, at - 40), at));
    var low = found ? found[1].toLowerCase() : "", places = this.data.places;
    return places.indexOf(low) >= 0 || (!!found && places.indexOf(low + found[2]) >= 0);
  };
  F.bid = function (path) {
    return path.length === 2 && path[0].length === 1 && "1234567".indexOf(path[0]) >= 0 && this.data.bids.indexOf(path[1]) >= 0;
  };
  F.stops = function (at) {
    var next = this.text[at];
    return next === undefined || ".,;:)]!?\"»".indexOf(next) >= 0 || !!this.match("sep", at) || !!this.match("range", at);
  };
  F.inPlace = function (at, element) {
    var sep = this.placeEnd >= 0 && at - this.placeEnd <= 12 ? this.match("sep", this.placeEnd) : null;
    if (!this.placed(at) && !(sep && sep.end === at)) { return false; }
    this.placeEnd = element.end;
    return true;
  };
  F.antecedent = function (at) {
    if (this.last && this.lastAt < at) {
      if (this.grammar.pattern(this.data.rx.paragraph, "").test(this.text.slice(this.lastAt, at))) { this.last = null; }
      this.lastAt = at;
    }
    return this.last;
  };

  // Results.
  F.citation = function (start, end, form, work, edition, path) {
    return { start: start, end: end, surface: this.text.slice(start, end), form: form, work: work, edition: edition, path: path };
  };
  F.emit = function (elements, work, form, edition) {
    var end = elements[elements.length - 1].end, self = this;
    var code = this.codeAfter(end);
    if (code) { return this.foreign(elements[0].start, code.end, code.id, elements[0].path.join(".")); }
    var after = this.strict ? this.data.after : this.data.after.concat(this.data.rx.typed);
    for (var n = 0; n < after.length && !edition; n++) {
      var found = this.at(after[n], end);
      if (found && this.data.editions.indexOf(found[1]) >= 0) { edition = found[1]; end = found.end; }
    }
    elements.forEach(function (element, at) {
      var stop = at === elements.length - 1 ? end : element.end;
      var how = at === 0 || form === "paragraph" ? form : "list";
      (element.paths.length ? element.paths : [element.path]).forEach(function (path) {
        self.add(element.start, stop, element.paths.length ? "range" : how, work, edition, path);
      });
    });
    return end;
  };
  F.add = function (start, end, form, work, edition, path) {
    this.out.push(this.citation(start, end, form, work, edition, path));
    if (path.length && work === this.law) {
      var roots = this.grammar.places[this.law];
      this.last = !roots || path[0] in roots ? [work, edition, path] : null;
      this.lastAt = end;
      this.alien = "";
    }
  };

  // One citation as a person types it, and where each leads: what kb/cite/query.py and resolve.py do.
  // refs: work -> dotted path -> state and address, as the published script has them (see below).
  function Resolver(grammar, refs) {
    this.grammar = grammar;
    this.data = grammar.data;
    this.refs = refs;
    var data = this.data, bare = this.bare = {}, spelt = this.spelt = {}, self = this;
    var nouns = Object.keys(data.lexicon).filter(function (word) { return data.lexicon[word][0] === "noun"; }).sort();
    nouns.forEach(function (word) {
      data.lexicon[word][1].forEach(function (n) {
        var noun = data.nouns[n];
        if ((noun.numbers || []).indexOf(noun.work === data.law ? "provision" : "dotted") >= 0) { bare[noun.work] = bare[noun.work] || word; }
      });
      data.typed.sounds.forEach(function (sounds) {
        var plain = word.replace(/\.+$/, "").split("");
        if (plain.length && plain.every(function (ch) { return ch in sounds; })) {
          var key = self.key(plain.map(function (ch) { return sounds[ch]; }).join(""));
          spelt[key] = spelt[key] || word;
        }
      });
    });
  }
  var R = Resolver.prototype;
  var ADDRESS_TYPED = /^(?:[a-z]{3,5}:\/\/\S*?\/|\/)?([a-z][a-z0-9_-]*)(?:\/((?:19|20)[0-9]{2}))?(?:\/([^\/#?\s]*))?(?:\/(?:index\.html)?)?(?:\?[^#\s]*)?(?:#(\S+))?$/;

  R.key = function (latin) {
    this.data.typed.fold.forEach(function (pair) { latin = latin.split(pair[0]).join(pair[1]); });
    return latin.replace(/([^])\1+/g, "$1").split("ii").join("i");
  };
  // {results, readAs}: readAs is how the text had to be read, by its sound or on another keyboard.
  R.query = function (text, given) {
    var spellings = [text].concat(this.spellings(text));
    for (var n = 0; n < spellings.length; n++) {
      var found = this.cited(spellings[n], given || {});
      if (found.length) { return { results: found, readAs: n ? spellings[n] : "" }; }
    }
    return { results: [], readAs: "" };
  };
  R.cited = function (text, given) {
    var self = this, context = given.context || null;
    if (!text.trim() || Array.from(text).length > 200) { return []; }
    var whole = this.address(text.trim());
    var found = whole ? [whole] : this.read(text, context);
    if (!found.length) { found = this.read(this.mended(text), context); }
    return found.map(function (one) { return self.told(one, (!whole && given.edition) || (context && context.edition)); });
  };
  R.read = function (text, context) {
    var data = this.data, bare = this.bare, tries = [["", text]], works = Object.keys(data.works).sort();
    works.forEach(function (name) {
      var table = data.works[name];
      var letter = new RegExp("^\\s*(?:" + name + "|" + table.label + "|" + table.letter + ")[\\s./-]*(?=[0-9])", "i").exec(text);
      if (letter && bare[name]) { tries.push([bare[name], text.slice(letter[0].length)]); }
    });
    works.sort(function (a, b) { return (b === data.law) - (a === data.law) || (a < b ? -1 : 1); })
      .forEach(function (name) { if (bare[name]) { tries.push([bare[name], text]); } });
    for (var n = 0; n < tries.length; n++) {
      var typed = (tries[n][0] ? tries[n][0] + " " : "") + tries[n][1].trim();
      var found = new Finder(typed, this.grammar, context, false).run();
      if (found.length && this.covered(typed, found)) { return found; }
    }
    return [];
  };
  R.covered = function (text, found) {
    var data = this.data, at = 0, left = "";
    found.forEach(function (one) {
      left += text.slice(at, Math.max(at, one.start)) + " ";
      at = Math.max(at, one.end);
    });
    var joined = new RegExp("^(?:" + data.rx.joined + ")$");
    return (left + text.slice(at)).toLowerCase().split(/[\s()\[\].,;:«»"“”'\/&–—-]+/).filter(Boolean).every(function (word) {
      return joined.test(word) || [word, word + "."].some(function (form) { return (own(data.lexicon, form) || [])[0] === "cue"; });
    });
  };
  R.address = function (text) {
    var found = ADDRESS_TYPED.exec(text), works = this.data.works;
    if (!found || !(found[2] || found[3])) { return null; }
    var work = found[1], edition = found[2] || this.data.edition, dotted = found[3] || "", anchor = found[4];
    if (!own(works, work)) {
      var named = Object.keys(works).sort().filter(function (name) { return works[name].letter === work; })[0];
      var noun = named && this.bare[named];
      var cited = noun ? new Finder(noun + " " + dotted, this.grammar, null, false).run() : [];
      if (cited.length !== 1 || cited[0].end !== noun.length + 1 + dotted.length) { return null; }
      return { work: named, edition: edition, path: cited[0].path };
    }
    if (anchor) {
      Object.keys(works).forEach(function (name) {
        if (works[name].over === work && new RegExp("^" + works[name].letter + "[0-9]").test(anchor)) {
          work = name;
          anchor = anchor.slice(works[name].letter.length);
        }
      });
      dotted = anchor;
    }
    var path = dotted ? dotted.split(".") : [];
    return path.every(function (step) { return /^[0-9A-Za-z~-]+$/.test(step); }) ? { work: work, edition: edition, path: path } : null;
  };
  R.spellings = function (text) {
    var data = this.data, spelt = this.spelt, self = this;
    var made = [text.replace(/(?<![0-9A-Za-z])[A-Za-z](?:[A-Za-z'’]*[A-Za-z])?(?=\.? ?[0-9])/g, function (all) {
      var word = all.toLowerCase().replace(/’/g, "'");
      return own(data.lexicon, word) ? all : own(spelt, self.key(word)) || all;
    })];
    data.typed.keyboards.forEach(function (board) {
      [[board[1], board[0]], [board[0], board[1]]].forEach(function (pair) {
        made.push(text.replace(/[^]/g, function (ch) { var at = pair[0].lastIndexOf(ch); return at < 0 ? ch : pair[1][at]; }));
      });
    });
    return made.filter(function (one) { return one !== text; });
  };
  R.mended = function (text) {
    var lexicon = this.data.lexicon;
    var wrapped = /^\s*[(\[{«"“„']+\s*(.+?)\s*[)\]}»"”“']+\s*$/.exec(text);
    return (wrapped ? wrapped[1] : text).replace(/([0-9]),(?= ?\p{L}\s*$)/u, "$1")
      .replace(/(?<![0-9A-Za-zА-Яа-яЁёІі])([A-Za-zА-Яа-яЁёІі]+) ?(?=[0-9])/g, function (all, word) {
        var low = word.toLowerCase();
        return !own(lexicon, low) && (own(lexicon, low + ".") || [])[0] === "noun" ? word + ". " : all;
      });
  };
  R.state = function (work, path) {
    var value = own(own(this.refs, work) || {}, path.join("."));
    return value === undefined ? "" : value === 1 || (value + "")[0] === "!" ? "not-supplied" : "text";
  };
  // Statuses as kb/cite/resolve.py tells them. ref: {work, path} of what the link leads to, or null.
  R.told = function (cited, meant) {
    var data = this.data, work = cited.work, path = cited.path, self = this;
    function row(status, more) {
      var made = Object.assign({ target: named(work, path), status: status, fallback: null, alternatives: [], ref: null }, more);
      return made;
    }
    function named(name, steps) { return name + "/" + edition + (steps.length ? "/" + steps.join(".") : ""); }
    if (!work) { return row("foreign", { target: ["foreign", path[0], path.slice(1).join(".")].filter(Boolean).join("/") }); }
    var edition = cited.edition || meant || data.edition, here = edition === data.edition;
    if (!path.length) { return row(here ? "resolved" : "other-edition", { ref: here ? { work: work, path: [] } : null }); }
    if (!here) { return row("other-edition"); }
    var state = this.state(work, path);
    for (var at = 0; !state && at < path.length - 1; at++) {
      if (digits(path[at]) && digits(path[at + 1])) {
        var other = path.slice(0, at).concat(path[at] + "-" + path[at + 1], path.slice(at + 2));
        if (this.state(work, other)) { path = other; state = this.state(work, path); }
      }
    }
    if (state) { return row(state === "text" ? "resolved" : state, { ref: { work: work, path: path } }); }
    var ends = path[0].indexOf("~") >= 0 ? path[0].split("~").map(function (step) { return [step].concat(path.slice(1)); }) : [];
    ends = ends.filter(function (one) { return self.state(work, one); });
    if (ends.length) { return row("ambiguous", { alternatives: ends.map(function (one) { return named(work, one); }) }); }
    var above = path.slice(0, -1), over = data.works[work].over;
    while (above.length && !this.state(work, above)) { above.pop(); }
    var more = above.length ? { fallback: named(work, above), ref: { work: work, path: above } } : {};
    if (data.works[work].role === "commentary" && above.length < 2 && path.length > 1 && this.state(over, path.slice(0, 1))) {
      return row("not-supplied", { ref: { work: work, path: path } });
    }
    return row("unknown", more);
  };

  // The page: running text of its blocks, links, cards.
  var INLINE = "ABBR ACRONYM B BDI BDO BIG CITE DEL DFN EM FONT I INS LABEL MARK Q S SMALL SPAN STRIKE STRONG TT U WBR";
  var CLOSED = "A BUTTON CODE DATALIST H1 H2 H3 H4 H5 H6 HEAD KBD MATH NOSCRIPT OBJECT OPTION PRE SAMP SCRIPT SELECT STYLE " +
    "TEMPLATE TEXTAREA TITLE VAR SVG IFRAME CANVAS";
  function set(names) {
    var made = Object.create(null);
    names.split(" ").forEach(function (name) { made[name] = true; });
    return made;
  }
  var inline = set(INLINE), closed = set(CLOSED);
  var ADDRESS = /(?:[a-z][a-z+.-]{1,15}:\/\/|www\.)[^\s<>]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\{\{[^{}]*\}\}/g;

  // Runs of text nodes in which a sentence goes on; null ends one.
  function blocks(top) {
    var found = [], run = [];
    function end() { if (run.length) { found.push(run); run = []; } }
    function walk(node) {
      for (var child = node.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3) { run.push(child); continue; }
        if (child.nodeType !== 1) { continue; }
        var name = child.nodeName.toUpperCase();
        if (closed[name] || child.isContentEditable || child.getAttribute("data-kb") === "off") {
          run.push(null);
          if (/^(H[1-6]|PRE)$/.test(name)) { end(); }
        } else if (inline[name]) {
          walk(child);
        } else if (name === "BR") {
          run.push("\n");
        } else if (name === "SUP" || name === "SUB" || name === "IMG") {
          run.push(null);
        } else {
          end();
          walk(child);
          end();
        }
      }
    }
    walk(top);
    end();
    return found;
  }
  function flow(run) {
    var text = "", nodes = [], offsets = [];
    function put(ch, node, at) { text += ch; nodes.push(node); offsets.push(at); }
    run.forEach(function (node) {
      if (node === null || node === "\n") { put(node || "\ufffc", null, 0); return; }
      var data = node.data.replace(ADDRESS, function (all) { return new Array(all.length + 1).join("\ufffc"); });
      for (var at = 0; at < data.length; at++) {
        if (/[ \t\r\n\f]/.test(data[at])) {
          if (text.slice(-1) !== " ") { put(" ", node, at); }
        } else {
          put(data[at], node, at);
        }
      }
    });
    return { text: text, nodes: nodes, offsets: offsets };
  }

  var options = { lang: "", edition: "", base: "", pinned: false, stays: false };
  var grammar = null, resolver = null;
  function ready() { return grammar || (GRAMMAR && (grammar = new Grammar(GRAMMAR))); }
  function resolving() { return resolver || (resolver = new Resolver(ready(), unfolded(REFS, GRAMMAR.outline))); }
  // The refs of the outline stand as one string of figures, in its order.
  function unfolded(refs, outline) {
    Object.keys(refs).forEach(function (work) {
      (refs[work][""] || "").split("").forEach(function (figure, n) {
        if (figure !== "-") { refs[work][outline[work][n]] = +figure; }
      });
      delete refs[work][""];
    });
    return refs;
  }

  // REFS: work to dotted path to 0 (there is text), 1 (there is none), or to its address where that does not
  // follow from the path, behind a "!" when there is no text. A ref leads to itself, or to what is above it.
  function known(citation) {
    var told = citation.work && citation.path.length ? resolving().told(citation, options.edition) : null;
    return told && told.ref ? Object.assign({ status: told.status }, told.ref) : null;
  }
  function address(ref) {
    var work = GRAMMAR.works[ref.work], dotted = ref.path.join(".");
    var told = (own(REFS, ref.work) || {})[dotted];
    if (told && told !== 1) { return options.base + told.replace(/^!?\//, ""); }
    var page = (work.over || ref.work) + "/" + GRAMMAR.edition + "/" + (dotted ? ref.path[0].split("~")[0] + "/" : "");
    var index = /^file:/.test(options.base) ? "index.html" : "";
    return options.base + page + index + (work.over ? "#" + work.letter + dotted : ref.path.length > 1 ? "#" + dotted : "");
  }

  function link(top, settings) {
    Object.assign(options, settings || {});
    if (!ready()) { return 0; }
    var made = 0;
    blocks(top || document.body).forEach(function (run) {
      var found = flow(run), cuts = [], past = 0;
      new Finder(found.text, grammar, null, true).run().forEach(function (citation) {
        var ref = citation.start >= past ? known(citation) : null;
        if (!ref) { return; }
        past = citation.end;
        cuts.push(part(found, citation, ref));
      });
      // From the end, so that the places before stay right.
      cuts.reverse().forEach(function (cut) { if (cut) { wrap(cut); made++; } });
    });
    return made;
  }
  // The last run of one text node within the citation that has a number.
  function part(found, citation, ref) {
    var best = null, at = citation.start;
    while (at < citation.end) {
      var node = found.nodes[at], stop = at;
      while (stop < citation.end && found.nodes[stop] === node) { stop++; }
      if (node && (!best || /[0-9]/.test(found.text.slice(at, stop)))) {
        best = { node: node, start: found.offsets[at], end: found.offsets[stop - 1] + 1, ref: ref };
      }
      at = stop;
    }
    return best;
  }
  function wrap(cut) {
    var doc = cut.node.ownerDocument, anchor = doc.createElement("a");
    var middle = cut.node.splitText(cut.start);
    middle.splitText(cut.end - cut.start);
    anchor.className = "kb-cite" + (cut.ref.status === "resolved" ? "" : " kb-" + cut.ref.status);
    anchor.href = address(cut.ref);
    middle.parentNode.replaceChild(anchor, middle);
    anchor.appendChild(middle);
    cards(anchor, cut.ref);
  }

  // Cards.
  var card = null, timer = 0, texts = null, waiting = [];
  function load(then) {
    if (texts) { then(); return; }
    waiting.push(then);
    if (waiting.length > 1) { return; }
    root.kbLinkerData = function (data) {
      texts = data;
      waiting.splice(0).forEach(function (one) { one(); });
    };
    var script = document.createElement("script");
    // A page that asked for one very version of this script gets no other data either.
    if (options.pinned && DATA) { script.integrity = DATA[1]; script.crossOrigin = "anonymous"; }
    script.src = trusted(options.base + (options.stays && DATA ? DATA[0] : "linker-data.js"));
    document.head.appendChild(script);
  }
  // Pages that ask for trusted types are given one; a page may refuse the policy, then the links have no cards.
  function trusted(url) {
    if (!root.trustedTypes) { return url; }
    return root.trustedTypes.createPolicy("kb-linker", { createScriptURL: function (one) { return one; } }).createScriptURL(url);
  }
  function style(element, rules) {
    // Through the object model: a strict policy forbids style attributes and elements, not this.
    Object.keys(rules).forEach(function (name) { element.style.setProperty(name, rules[name]); });
    return element;
  }
  function line(name, text, rules) {
    var element = style(document.createElement(name), rules || {});
    element.textContent = text;
    return element;
  }
  function cards(anchor, ref) {
    function open() {
      clearTimeout(timer);
      load(function () { show(anchor, ref); });
    }
    anchor.addEventListener("pointerenter", function (event) {
      if (event.pointerType === "touch") { return; }
      clearTimeout(timer);
      timer = setTimeout(open, 150);
    });
    anchor.addEventListener("pointerleave", function (event) { if (event.pointerType !== "touch") { later(); } });
    anchor.addEventListener("focus", open);
    anchor.addEventListener("blur", later);
    var first = false;
    anchor.addEventListener("pointerdown", function (event) {
      first = event.pointerType === "touch" && !(card && card.kbFor === anchor);
    });
    anchor.addEventListener("click", function (event) {
      // The first tap shows the card, the next one follows the link. (The tap brings the focus too, before this.)
      if (first) { event.preventDefault(); open(); }
    });
  }
  function later() {
    clearTimeout(timer);
    timer = setTimeout(hide, 250);
  }
  function hide() {
    if (!card) { return; }
    card.kbFor.removeAttribute("aria-describedby");
    card.remove();
    card = null;
  }
  function show(anchor, ref) {
    if (card && card.kbFor === anchor) { return; }
    hide();
    var row = own(texts.refs, ref.work + "/" + ref.path.join(".")) || {};
    var langs = options.lang && texts.languages.indexOf(options.lang) >= 0 ? [options.lang] : texts.languages;
    card = style(document.createElement("div"), {
      position: "absolute", "z-index": "2147483000", "max-width": "min(26rem, calc(100vw - 2rem))", padding: ".7rem .9rem",
      background: "Canvas", color: "CanvasText", border: "1px solid GrayText", "border-radius": ".4rem",
      "box-shadow": "0 .3rem 1rem rgba(0,0,0,.25)", font: "15px/1.45 system-ui, sans-serif", "text-align": "start"
    });
    card.kbFor = anchor;
    card.id = "kb-card";
    card.setAttribute("role", "tooltip");
    card.appendChild(line("strong", row.human || ref.path.join(".")));
    langs.forEach(function (lang) {
      var title = (row.title || {})[lang], text = (row.text || {})[lang];
      if (title) { card.appendChild(line("div", title, { "font-weight": "600" })).lang = lang; }
      if (text) { card.appendChild(line("div", text, { "margin-top": ".3rem" })).lang = lang; }
    });
    var lang = langs[0];
    var said = [row.status || ref.status, ref.status === "unknown" && ref.status].map(function (state) {
      return (texts.words[state] || {})[lang];
    }).filter(Boolean).join(" · ");
    var notes = row.comments ? ((texts.words.comments || {})[lang] || "") + " " + row.comments : "";
    card.appendChild(line("div", [texts.edition, said, notes].filter(Boolean).join(" · "), {
      "margin-top": ".4rem", "font-size": "13px", opacity: ".8"
    }));
    card.addEventListener("pointerenter", function () { clearTimeout(timer); });
    card.addEventListener("pointerleave", later);
    document.body.appendChild(card);
    anchor.setAttribute("aria-describedby", card.id);
    var place = anchor.getBoundingClientRect(), box = card.getBoundingClientRect();
    var wide = document.documentElement.clientWidth;
    var left = Math.max(8, Math.min(place.left, wide - box.width - 8));
    var below = place.bottom + box.height + 8 < root.innerHeight || place.top < box.height + 8;
    style(card, {
      left: left + root.scrollX + "px",
      top: (below ? place.bottom + 6 : place.top - box.height - 6) + root.scrollY + "px"
    });
  }

  var api = {
    version: VERSION,
    find: function (text, context, data) { return new Finder(text, data ? new Grammar(data) : ready(), context, true).run(); },
    finder: function (data) {
      var own_ = new Grammar(data);
      return function (text, context, strict) { return new Finder(text, own_, context, strict).run(); };
    },
    link: link,
    // What a citation as people type it means: {results: [{target, status, fallback, alternatives, url}], readAs}.
    // given: {edition, context}. readAs: how it had to be read, by its sound or on another keyboard.
    resolve: function (text, given) {
      var answer = resolving().query(text, given);
      answer.results.forEach(function (row) { row.url = row.ref ? address(row.ref) : null; });
      return answer;
    },
    // Gives a link that stands in the page already its card: ref is {work, path: [steps]}.
    card: cards
  };
  if (typeof module === "object" && module.exports) { module.exports = api; return; }
  root.kbLinker = api;
  var script = document.currentScript;
  options.base = new URL(".", script ? script.src : location.href).href.replace(/api\/v1\/linker\/$/, "");
  if (script) {
    var asked = script.dataset;
    options.pinned = !!script.integrity;
    options.stays = options.pinned || /api\/v1\/linker\//.test(script.src);
    options.lang = asked.lang || "";
    options.edition = asked.edition || "";
    if (asked.base) { options.base = new URL(asked.base.replace(/\/?$/, "/"), location.href).href; }
    document.addEventListener("keydown", function (event) { if (event.key === "Escape") { hide(); } });
    var start = function () {
      if (asked.auto !== "off") { document.querySelectorAll(asked.root || "body").forEach(function (top) { link(top); }); }
    };
    if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", start); } else { start(); }
  }
})(typeof window === "object" ? window : this);
