//<![CDATA[
// Zoom and tooltips of the plots along contigs. The page is complete without them.
"use strict";
(function () {
	const tooltip = document.getElementById("tooltip");
	const plain = new Intl.NumberFormat("en");

	// The step between ticks: 1, 2 or 5 times a power of ten.
	function tickStep(range, most) {
		const rough = range / most;
		const power = Math.pow(10, Math.floor(Math.log10(rough)));
		const step = [1, 2, 5, 10].find(function (x) { return x * power >= rough * 0.999999; });
		return Math.max(1, step * power);
	}

	function position(x, step) {
		for (const [unit, name] of [[1e6, "Mb"], [1e3, "kb"]]) {
			if (x >= unit || (x === 0 && step >= unit)) {
				return plain.format(Math.round(x / unit * 1e6) / 1e6) + " " + name;
			}
		}
		return plain.format(x) + " b";
	}

	// The steps of a path: where each ends, and its value. y is 1000 for none and 0 at the top of the
	// axis, and an h in place of an H has no value.
	function steps(path, top) {
		const found = { name: path.dataset.name, ends: [], values: [] };
		let end = 0;
		for (const match of path.getAttribute("d").matchAll(/V(-?[0-9.]+)(H|h)([0-9.]+)/g)) {
			const known = match[2] === "H";
			end = known ? Number(match[3]) : end + Number(match[3]);
			found.ends.push(end);
			found.values.push(known ? (1000 - Number(match[1])) / 1000 * top : null);
		}
		return found;
	}

	function label(value, unit) {
		if (value === null) { return "unknown"; }
		return (value >= 100 ? plain.format(Math.round(value)) : String(Number(value.toPrecision(3)))) + unit;
	}

	function show(text, event) {
		tooltip.textContent = text;
		tooltip.hidden = false;
		const width = tooltip.offsetWidth;
		const left = Math.min(event.pageX + 12, window.scrollX + document.documentElement.clientWidth - width - 4);
		tooltip.style.left = Math.max(window.scrollX, left) + "px";
		tooltip.style.top = event.pageY + 16 + "px";
	}

	function hide() { tooltip.hidden = true; }

	function coverage(figure) {
		const length = Number(figure.dataset.length);
		const bin = Number(figure.dataset.bin);
		const top = Number(figure.dataset.top);
		const plot = figure.querySelector(".window");
		const ticks = figure.querySelector(".x-ticks");
		const left = Number(plot.getAttribute("x"));
		const width = Number(plot.getAttribute("width"));
		const bottom = Number(plot.getAttribute("y")) + Number(plot.getAttribute("height"));
		const series = Array.from(plot.querySelectorAll("path"), function (p) { return steps(p, top); }).reverse();
		const ends = series[0].ends;
		const regions = Array.from(plot.querySelectorAll(".region"), function (r) {
			const start = Number(r.getAttribute("x"));
			return { name: r.dataset.name, start: start, end: start + Number(r.getAttribute("width")) };
		}).sort(function (a, b) { return a.start - b.start; });
		const names = figure.querySelector(".region-names");
		const least = Math.min(length, 8 * length / ends.length);
		const original = ticks.innerHTML;
		let from = 0;
		let to = length;

		function element(name, attributes) {
			const e = document.createElementNS(plot.namespaceURI, name);
			for (const [key, value] of Object.entries(attributes)) { e.setAttribute(key, value); }
			return e;
		}

		function drawTicks() {
			if (from === 0 && to === length) {
				ticks.innerHTML = original;
				return;
			}
			ticks.textContent = "";
			const step = tickStep(to - from, 4);
			for (let x = Math.ceil(from / step) * step; x <= to; x += step) {
				const at = left + (x - from) / (to - from) * width;
				const edge = at < left + 24 ? "start" : at > left + width - 24 ? "end" : "middle";
				ticks.append(element("line", { class: "tick", x1: at, x2: at, y1: bottom, y2: bottom + 5 }));
				const text = element("text", { class: "muted", x: at, y: bottom + 18, "text-anchor": edge });
				text.textContent = position(x, step);
				ticks.append(text);
			}
		}

		// The names of regions that are in view, where they have room.
		function drawNames() {
			names.textContent = "";
			const y = Number(plot.getAttribute("y")) - 12;
			const first = left + 14; // beside the name of the axis
			let free = first;
			for (const r of regions) {
				if (r.end * bin <= from || r.start * bin >= to) { continue; }
				const text = element("text", { y: y, "text-anchor": "middle" });
				text.textContent = r.name;
				names.append(text);
				const half = r.name.length * 7.3 / 2;
				const middle = (Math.max(from, r.start * bin) + Math.min(to, r.end * bin)) / 2;
				const x = Math.min(Math.max(left + (middle - from) / (to - from) * width, first + half), left + width - half);
				if (x - half < free) {
					text.remove();
					continue;
				}
				text.setAttribute("x", x);
				free = x + half + 7.3;
			}
		}

		function zoom(newFrom, newTo) {
			const size = Math.min(length, Math.max(least, newTo - newFrom));
			from = Math.min(Math.max(0, (newFrom + newTo - size) / 2), length - size);
			to = from + size;
			plot.setAttribute("viewBox", from / bin + " 0 " + (to - from) / bin + " 1000");
			drawTicks();
			if (names) { drawNames(); }
			for (const b of whole) { b.disabled = from === 0 && to === length; }
			inwards.disabled = size <= least;
		}

		function scale(factor) {
			const middle = (from + to) / 2;
			const half = (to - from) / 2 * factor;
			zoom(middle - half, middle + half);
		}

		function shift(share) {
			const size = to - from;
			const start = Math.min(Math.max(0, from + share * size), length - size);
			zoom(start, start + size);
		}

		const row = document.createElement("div");
		row.className = "zoom";
		const name = figure.querySelector("h3").textContent;
		function button(text, what, action) {
			const b = document.createElement("button");
			b.type = "button";
			b.textContent = text;
			b.setAttribute("aria-label", what + ", " + name);
			b.title = what;
			b.addEventListener("click", action);
			row.append(b);
			return b;
		}
		const inwards = button("+", "Zoom in", function () { scale(0.5); });
		const whole = [
			button("\u2212", "Zoom out", function () { scale(2); }),
			button("\u2190", "To the left", function () { shift(-0.5); }),
			button("\u2192", "To the right", function () { shift(0.5); }),
			button("All", "Whole contig", function () { zoom(0, length); })
		];
		figure.append(row);
		zoom(0, length);

		function at(event) {
			const box = plot.getBoundingClientRect();
			const matrix = plot.ownerSVGElement.getScreenCTM();
			const x = (event.clientX - matrix.e) / matrix.a;
			const share = box.width > 0 ? (x - left) / width : 0;
			return from + Math.min(1, Math.max(0, share)) * (to - from);
		}

		// The whole window takes the pointer, and not only what is painted in it.
		const ground = element("rect", { x: 0, y: 0, width: length / bin, height: 1000, fill: "none", "pointer-events": "all" });
		plot.append(ground);
		const selection = element("rect", { class: "selection", y: 0, height: 1000, width: 0 });
		plot.append(selection);
		let start = -1;

		plot.addEventListener("pointerdown", function (event) {
			if (event.button !== 0 || event.pointerType === "touch") { return; }
			event.preventDefault();
			start = at(event);
			plot.setPointerCapture(event.pointerId);
		});
		plot.addEventListener("pointermove", function (event) {
			const x = at(event);
			if (start >= 0) {
				selection.setAttribute("x", Math.min(start, x) / bin);
				selection.setAttribute("width", Math.abs(x - start) / bin);
			}
			const under = ends.findIndex(function (end) { return x < end * bin; });
			const i = under < 0 ? ends.length - 1 : under;
			const lines = [plain.format(Math.round(i > 0 ? ends[i - 1] * bin : 0) + 1) + " to " + plain.format(Math.round(ends[i] * bin))];
			for (const s of series) { lines.push(s.name + " " + label(s.values[i], figure.dataset.unit)); }
			for (const r of regions) {
				if (lines.length < 8 && x >= r.start * bin && x < r.end * bin) { lines.push(r.name); }
			}
			show(lines.join("\n"), event);
		});
		plot.addEventListener("pointerup", function (event) {
			const x = at(event);
			selection.setAttribute("width", 0);
			if (start >= 0 && Math.abs(x - start) > (to - from) / 100) { zoom(Math.min(start, x), Math.max(start, x)); }
			start = -1;
		});
		plot.addEventListener("pointercancel", function () {
			selection.setAttribute("width", 0);
			start = -1;
		});
		plot.addEventListener("pointerleave", hide);
		plot.addEventListener("dblclick", function () { zoom(0, length); });
		plot.addEventListener("wheel", function (event) {
			if (!event.ctrlKey) { return; }
			event.preventDefault();
			const x = at(event);
			const factor = event.deltaY > 0 ? 1.25 : 0.8;
			zoom(x - (x - from) * factor, x + (to - x) * factor);
		}, { passive: false });
	}

	const figures = document.querySelectorAll("figure.coverage");
	figures.forEach(coverage);
	if (figures.length > 0) {
		const hint = document.createElement("p");
		hint.className = "left zoom-hint";
		hint.textContent = "Drag over a plot, or turn the wheel with Ctrl held, to zoom; a double click shows the whole contig again.";
		figures[0].parentElement.before(hint);
	}
})();
//]]>
